/** A guess at login, whose failure the audit log records. */

import type { Deps } from "../../platform/deps";
import type { GuessPool } from "../../platform/limits/lock";
import { log } from "../../platform/log";
import type { RequestOrigin } from "../../platform/schemas/actor";
import { type FailedProof, type GuessedAccount, recordFailedLogin } from "../../tenancy/audit/failed-login-store";

interface Guess<T> {
  pool: GuessPool;
  /** The pools whose lock refuses the guess; all unless given. */
  boundBy?: readonly GuessPool[] | undefined;
  email: string;
  /** The account that the guess is for; undefined when nobody has the email. */
  account: Promise<GuessedAccount | undefined>;
  origin: RequestOrigin;
  /** Returns null for a wrong guess. */
  evaluate: () => Promise<T | null>;
}

/**
 * Checks a guess as `Guesses.check` does. A wrong one is recorded after the answer: timing must not reveal whether the
 * account exists.
 */
export async function checkGuess<T>(
  deps: Deps,
  { pool, boundBy, email, account, origin, evaluate }: Guess<T>,
): Promise<{ value: T | null; startedLock: boolean }> {
  let isWrong = false;
  let startedLock = false;
  try {
    const judge = async () => {
      const value = await evaluate();
      isWrong = value === null;
      return value;
    };
    const checked = await deps.guesses.check(pool, email, judge, boundBy);
    startedLock = checked.startedLock;
    return checked;
  } finally {
    if (isWrong) recordWrong(deps, { pool, account, origin }, startedLock);
  }
}

/** A wrong guess to record. */
type WrongGuess = Pick<Guess<unknown>, "account" | "origin"> & { pool: FailedProof };

/** Records a wrong guess after the answer. */
export function recordWrong(deps: Deps, wrong: WrongGuess, startedLock = false): void {
  deps.background("record failed login", record(deps, wrong, startedLock));
}

async function record(deps: Deps, { pool, account, origin }: WrongGuess, startedLock: boolean): Promise<void> {
  // The answer goes out first.
  await scheduler.wait(0);
  const guessed = await account;
  if (guessed) await recordFailedLogin(deps, guessed, { pool, startedLock }, origin);
  else log("info", "login to an unknown account", { requestId: origin.requestId });
}
