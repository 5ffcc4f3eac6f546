/** Checking the password or a code of a signed-in user. Wrong ones count as they do at login. */

import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { type Guesser, recordLock } from "../../tenancy/audit/failed-login-store";
import { type EnteredCode, invalidCode, openCode } from "../email-codes/verify";
import { verifyStoredPassword } from "../passwords/imported/verify";
import { requirePasswords } from "../passwords/off";
import { readFactor } from "../two-factor/codes";
import type { Factor, StoredTotpSecret } from "../two-factor/store";

/** A signed-in user with the password hash that is stored. */
interface PasswordHolder {
  email: string;
  passwordHash: string;
}

/**
 * Checks the password, and then runs `write`, which returns false if the password has changed since it was read. Throws
 * WRONG_PASSWORD, and ACCOUNT_LOCKED after ten wrong passwords.
 */
export async function checkPassword(
  deps: Deps,
  caller: SessionPrincipal,
  { email, passwordHash }: PasswordHolder,
  password: string,
  write: () => Promise<boolean> = async () => true,
): Promise<void> {
  requirePasswords(deps.config);
  const { value: done, startedLock } = await deps.guesses.check("password", email, async () => {
    const { correct } = await verifyStoredPassword(deps, password, passwordHash);
    return (correct && (await write())) || null;
  });
  if (startedLock) deps.background("record lock", recordLock(deps, caller, "password"));
  if (!done) throw new AppError("WRONG_PASSWORD");
}

/**
 * Checks a mailed code. Returns the id of its mail. Throws INVALID_CODE, also for a code that went to another address,
 * and ACCOUNT_LOCKED after ten wrong codes. `guesser` is null for an address without an account.
 */
export async function checkMailCode(
  deps: Deps,
  guesser: Guesser | null,
  email: string,
  entered: EnteredCode,
): Promise<string> {
  const requested = await openCode(deps, entered);
  if (requested.email !== email) throw invalidCode();
  const evaluate = async () => (await requested.verify()) || null;
  const { value: isRight, startedLock } = await deps.guesses.check("code", email, evaluate, ["code"]);
  if (startedLock && guesser) {
    deps.background("record lock", recordLock(deps, guesser, "code"));
    await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId: guesser.userId, pool: "code" });
  }
  if (!isRight) throw invalidCode();
  return requested.mailId;
}

/**
 * Checks a code and uses it in `write`, which returns null if the code was used before. Returns what `write` returns.
 * Throws INVALID_TOTP, and ACCOUNT_LOCKED after ten wrong codes.
 */
export async function withCode<T>(
  deps: Deps,
  caller: SessionPrincipal,
  user: StoredTotpSecret & { email: string },
  code: string,
  write: (factor: Factor) => Promise<T | null>,
): Promise<T> {
  const { userId } = caller;
  const { value, startedLock } = await deps.guesses.check("totp", user.email, async () => {
    const factor = await readFactor(deps, userId, user, code);
    return factor && (await write(factor));
  });
  if (startedLock) {
    deps.background("record lock", recordLock(deps, caller, "totp"));
    await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  }
  if (value === null) throw new AppError("INVALID_TOTP");
  return value;
}
