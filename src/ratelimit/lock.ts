/** The account lock, as pure functions (decisions.md section 4): reserve before the check, clear after a success. */

const ATTEMPTS_BEFORE_LOCK = 10;
const FIRST_LOCK_MS = 15 * 60_000;
const LONGEST_LOCK_MS = 24 * 3_600_000;

/** One pool of guesses: wrong passwords, or wrong second factors. */
export interface LockState {
  attempts: number;
  /** Locks since the last success; each lasts twice as long as the one before. */
  locks: number;
  lockedUntilMs: number;
}

export const UNLOCKED: LockState = { attempts: 0, locks: 0, lockedUntilMs: 0 };

/**
 * Counts one attempt as failed before it is evaluated, so that parallel guesses can't outrun the count.
 * The tenth attempt is still evaluated and starts the lock; a success clears it. Call it only while unlocked.
 */
export function reserve(state: LockState, nowMs: number): LockState {
  const attempts = state.attempts + 1;
  if (attempts < ATTEMPTS_BEFORE_LOCK) return { ...state, attempts };
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** state.locks, LONGEST_LOCK_MS);
  return { attempts: 0, locks: state.locks + 1, lockedUntilMs: nowMs + lockMs };
}
