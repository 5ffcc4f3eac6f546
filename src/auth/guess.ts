/** A guess at login, whose failure the audit log records. */
import type { RequestOrigin } from "../audit/actor";
import { type GuessedAccount, recordFailedLogin } from "../audit/failed-login-store";
import type { Deps } from "../deps";
import { log } from "../log";
import type { GuessPool } from "../ratelimit/lock";

interface Guess<T> {
  pool: GuessPool;
  email: string;
  /** The account that it is for; undefined when nobody has the email. */
  account: Promise<GuessedAccount | undefined>;
  origin: RequestOrigin;
  /** Returns null for a wrong guess. */
  evaluate: () => Promise<T | null>;
}

/** Checks a guess as `Guesses.check` does. A wrong one is recorded behind the answer, whose time must not tell whether the account exists. */
export async function checkGuess<T>(
  deps: Deps,
  { pool, email, account, origin, evaluate }: Guess<T>,
): Promise<{ value: T | null; startedLock: boolean }> {
  let isWrong = false;
  let startedLock = false;
  try {
    const checked = await deps.guesses.check(pool, email, async () => {
      const value = await evaluate();
      isWrong = value === null;
      return value;
    });
    startedLock = checked.startedLock;
    return checked;
  } finally {
    if (isWrong) deps.background("record failed login", record(deps, { pool, account, origin }, startedLock));
  }
}

async function record(
  deps: Deps,
  { pool, account, origin }: Pick<Guess<unknown>, "pool" | "account" | "origin">,
  startedLock: boolean,
): Promise<void> {
  // The answer goes out first.
  await scheduler.wait(0);
  const guessed = await account;
  if (guessed) await recordFailedLogin(deps, guessed, { pool, startedLock }, origin);
  else log("info", "login to an unknown account", { requestId: origin.requestId });
}
