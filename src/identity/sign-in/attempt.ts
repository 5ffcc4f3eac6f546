/** Attempts at login. The audit log records the wrong ones. */

import { count } from "../../base/counts";
import type { Deps } from "../../base/deps";
import type { GuessPool } from "../../base/limits/lock";
import { log } from "../../base/log/log";
import type { RequestOrigin } from "../../base/schemas/actor";
import { type FailedCredential, type GuessedAccount, recordFailedLogin } from "../../tenancy/audit/failed-login-store";

interface Attempt<T> {
  pool: GuessPool;
  /** The pools whose lock refuses the attempt; unless given, passwords and second factors. */
  boundBy?: readonly GuessPool[] | undefined;
  email: string;
  /** The account that the attempt is for; undefined when nobody has the email. */
  account: Promise<GuessedAccount | undefined>;
  origin: RequestOrigin;
  /** Returns null for a wrong attempt. */
  evaluate: () => Promise<T | null>;
}

/**
 * Evaluates an attempt as `Guesses.check` does. A wrong one is recorded after the answer: timing must not reveal
 * whether the account exists.
 */
export async function checkAttempt<T>(
  deps: Deps,
  { pool, boundBy, email, account, origin, evaluate }: Attempt<T>,
): Promise<{ value: T | null; startedLock: boolean }> {
  let isWrong = false;
  let startedLock = false;
  try {
    const noted = async () => {
      const value = await evaluate();
      isWrong = value === null;
      return value;
    };
    const checked = await deps.guesses.check(pool, email, noted, boundBy);
    startedLock = checked.startedLock;
    return checked;
  } finally {
    if (isWrong) recordFailure(deps, { pool, account, origin }, startedLock);
  }
}

/** A wrong attempt to record. */
type FailedAttempt = Pick<Attempt<unknown>, "account" | "origin"> & { pool: FailedCredential };

/** Records a wrong attempt after the answer has gone out. */
function recordFailure(deps: Deps, wrong: FailedAttempt, startedLock = false): void {
  count("logins", "failed");
  deps.background("record failed login", record(deps, wrong, startedLock));
}

async function record(deps: Deps, { pool, account, origin }: FailedAttempt, startedLock: boolean): Promise<void> {
  // The answer goes out first.
  await scheduler.wait(0);
  const guessed = await account;
  if (guessed) await recordFailedLogin(deps, guessed, { pool, startedLock }, origin);
  else log("info", "login to an unknown account", { requestId: origin.requestId });
}
