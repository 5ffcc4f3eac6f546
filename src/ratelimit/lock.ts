/** The lock after too many failed guesses, as pure functions. */

const GUESSES_BEFORE_LOCK = 10;
const FIRST_LOCK_MS = 15 * 60_000;
const LONGEST_LOCK_MS = 24 * 3_600_000;

/** The guesses of one pool for one email address. */
export interface LockState {
  /** Failed guesses since the last success or lock. */
  attempts: number;
  /** Locks since the last success. Each lasts twice as long as the one before. */
  locks: number;
  lockedUntilMs: number;
}

export const UNLOCKED: LockState = { attempts: 0, locks: 0, lockedUntilMs: 0 };

/**
 * Counts one guess as failed before it is checked, so that parallel guesses cannot outrun the count. The tenth guess is still checked,
 * and starts the lock; a success clears it. Call this only while unlocked.
 */
export function reserve(state: LockState, nowMs: number): LockState {
  const attempts = state.attempts + 1;
  if (attempts < GUESSES_BEFORE_LOCK) return { ...state, attempts };
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** state.locks, LONGEST_LOCK_MS);
  return { attempts: 0, locks: state.locks + 1, lockedUntilMs: nowMs + lockMs };
}
