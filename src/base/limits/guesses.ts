/** The Worker's side of the account lock: a password or code is only ever checked inside `check`. */
import { AppError } from "../errors";
import { describeError, log } from "../log/log";
import type { AccountLock, GuessOutcome, GuessReservation } from "./account-lock";
import { orUnavailable, withRetry } from "./limiter";
import type { GuessPool } from "./lock";

export interface Guesses {
  /**
   * Counts one guess for an email address, known or not, and checks it: `evaluate` returns null for a wrong guess. A
   * right guess clears the pool. A guess does not count if `evaluate` throws. Throws ACCOUNT_LOCKED while one of the
   * pools in `boundBy` (by default passwords and second factors) is locked, or SERVICE_UNAVAILABLE when the lock cannot
   * be reached.
   */
  check<T>(
    pool: GuessPool,
    email: string,
    evaluate: () => Promise<T | null>,
    boundBy?: readonly GuessPool[],
  ): Promise<CheckedGuess<T>>;
  /**
   * Returns how many guesses for an email address were wrong since the last right one. Throws SERVICE_UNAVAILABLE when
   * the lock cannot be reached.
   */
  wrongGuesses(email: string): Promise<number>;
  /** Clears the wrong passwords of an address whose password was reset. Never throws: the reset stands. */
  passwordReset(email: string): Promise<void>;
}

interface CheckedGuess<T> {
  /** Null for a wrong guess. */
  value: T | null;
  /** This wrong guess was the last one before a lock. */
  startedLock: boolean;
}

/** `namespace` holds one object per email address. */
export function createGuesses(namespace: DurableObjectNamespace<AccountLock>): Guesses {
  const call = <T>(email: string, method: (object: DurableObjectStub<AccountLock>) => Promise<T>) =>
    withRetry(() => method(namespace.get(namespace.idFromName(email))));

  /** Reports a decided guess. If the report fails, the guess stays counted as wrong. */
  async function settle(pool: GuessPool, email: string, outcome: GuessOutcome, reservation: GuessReservation) {
    try {
      const onPass = reservation.passedLockSeconds > 0;
      return await call(email, (object) => object.settle(pool, outcome, { onPass }));
    } catch (error) {
      log("warn", "guess not settled", describeError(error));
      return false;
    }
  }

  return {
    async check(pool, email, evaluate, boundBy) {
      const reservation = await orUnavailable(() => call(email, (object) => object.reserve(pool, boundBy)));
      const { retryAfterSeconds, passedLockSeconds } = reservation;
      if (retryAfterSeconds > 0) throw new AppError("ACCOUNT_LOCKED", { retryAfterSeconds });
      const value = await evaluate().catch(async (error: unknown) => {
        await settle(pool, email, "unchecked", reservation);
        throw error;
      });
      const startedLock = await settle(pool, email, value === null ? "wrong" : "right", reservation);
      // The answer to a wrong guess is the same as without the reset, so that a guesser does not learn of the reset.
      if (value === null && passedLockSeconds > 0) {
        throw new AppError("ACCOUNT_LOCKED", { retryAfterSeconds: passedLockSeconds });
      }
      return { value, startedLock };
    },
    wrongGuesses: (email) => orUnavailable(() => call(email, (object) => object.wrongGuesses())),
    async passwordReset(email) {
      try {
        await call(email, (object) => object.passwordReset());
      } catch (error) {
        log("warn", "lock not lifted", describeError(error));
      }
    },
  };
}
