/** The lock after too many wrong guesses for one email address, as pure functions. */
import { DAY_MS, MINUTE_MS } from "../time";

/** Wrong passwords, second factors and mailed codes are counted separately. */
export type GuessPool = "password" | "totp" | "code";

const GUESSES_BEFORE_LOCK = 10;
const FIRST_LOCK_MS = 15 * MINUTE_MS;
const LONGEST_LOCK_MS = DAY_MS;
/**
 * For this long after a password reset, passwords are checked in spite of a lock, so that nobody can keep the owner
 * out.
 */
const PASS_MS = 10 * MINUTE_MS;
/** How many guesses a password reset allows: the most that NIST SP 800-63B, section 5.2.2, permits. */
const PASS_GUESSES = 100;
/**
 * A reset lifts the lock of second factors only once in this time. Otherwise whoever has the mailbox could go on
 * guessing codes.
 */
const LIFT_INTERVAL_MS = DAY_MS;
/** Wrong guesses without a lock are forgotten after this time. */
const ATTEMPTS_MEMORY_MS = DAY_MS;
/**
 * The number of locks is kept for this time after the last lock, because each lock lasts twice as long as the previous
 * one.
 */
const LOCKS_MEMORY_MS = 30 * DAY_MS;

/** The guesses of one pool. */
export interface LockState {
  /** Guesses since the last success or lock, all of them wrong or still being checked. */
  attempts: number;
  /** Locks since the last success. */
  locks: number;
  lockedUntilMs: number;
  /** When a password reset last lifted the lock. */
  liftedAtMs: number;
  /** Until this time, after a password reset, `passGuesses` guesses are checked in spite of the lock. */
  passUntilMs: number;
  passGuesses: number;
}

export const UNLOCKED: LockState = {
  attempts: 0,
  locks: 0,
  lockedUntilMs: 0,
  liftedAtMs: 0,
  passUntilMs: 0,
  passGuesses: 0,
};

/**
 * Counts one guess as wrong before it is checked, so that parallel guesses cannot outrun the count. The tenth guess is
 * still checked, but starts the lock. Call this only while there is no lock.
 */
export function reserve(state: LockState, nowMs: number): LockState {
  const attempts = state.attempts + 1;
  if (attempts < GUESSES_BEFORE_LOCK) return { ...state, attempts };
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** state.locks, LONGEST_LOCK_MS);
  return { ...state, attempts: 0, locks: state.locks + 1, lockedUntilMs: nowMs + lockMs };
}

/** Returns how many guesses were wrong since the last right one. Each lock stands for the guesses that started it. */
export const wrongOf = ({ attempts, locks }: LockState): number => attempts + locks * GUESSES_BEFORE_LOCK;

/** Takes back one reservation, because a fault of ours kept the guess from being checked. */
export function giveBack(state: LockState, nowMs: number): LockState {
  const isLockedByTenth = state.attempts === 0 && state.lockedUntilMs > nowMs;
  if (!isLockedByTenth) return { ...state, attempts: Math.max(0, state.attempts - 1) };
  return { ...state, attempts: GUESSES_BEFORE_LOCK - 1, locks: state.locks - 1, lockedUntilMs: 0 };
}

/** Uses one of the guesses that a password reset allows in spite of the lock; null when there is none. */
export function usePass(state: LockState, nowMs: number): LockState | null {
  if (state.passUntilMs <= nowMs || state.passGuesses === 0) return null;
  return { ...state, passGuesses: state.passGuesses - 1 };
}

/** Returns the state of the password pool after a password reset. */
export const passwordsAfterReset = (nowMs: number): LockState => ({
  ...UNLOCKED,
  passUntilMs: nowMs + PASS_MS,
  passGuesses: PASS_GUESSES,
});

/**
 * Returns the state of the second-factor pool after a password reset: lifts its lock at most once a day, but its next
 * lock is longer.
 */
export function factorsAfterReset(state: LockState, nowMs: number): LockState {
  const mayLift = state.lockedUntilMs > nowMs && nowMs - state.liftedAtMs >= LIFT_INTERVAL_MS;
  return mayLift ? { ...state, lockedUntilMs: 0, liftedAtMs: nowMs } : state;
}

/** Returns when the state can be deleted, Unix ms. */
export function forgetAtMs(state: LockState, nowMs: number): number {
  const memoryMs = state.locks > 0 ? LOCKS_MEMORY_MS : ATTEMPTS_MEMORY_MS;
  return Math.max(nowMs, state.lockedUntilMs) + memoryMs;
}
