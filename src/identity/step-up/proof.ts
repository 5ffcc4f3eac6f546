/** Checking the password or a code of a signed-in user. Wrong ones count as they do at login. */

import { verifyPassword } from "../../platform/crypto/passwords";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { recordLock } from "../../tenancy/audit/failed-login-store";
import { type EnteredCode, invalidCode, readCode } from "../email-codes/judge";
import { readFactor } from "../two-factor/codes";
import type { Factor, StoredSecret } from "../two-factor/store";
import type { StoredProof } from "./store";

/** Checks the password. Throws WRONG_PASSWORD, and ACCOUNT_LOCKED after ten wrong passwords. */
export async function checkPassword(
  deps: Deps,
  caller: SessionPrincipal,
  user: StoredProof,
  password: string,
): Promise<void> {
  const { value: right, startedLock } = await deps.guesses.check("password", user.email, async () => {
    const { correct } = await verifyPassword(password, user.passwordHash);
    return correct || null;
  });
  if (startedLock) deps.background("record lock", recordLock(deps, caller, "password"));
  if (!right) throw new AppError("WRONG_PASSWORD");
}

/**
 * Checks a mailed code. Returns the id of its mail. Throws INVALID_CODE, also for a code that went to another address.
 */
export async function checkMailCode(deps: Deps, { email }: StoredProof, entered: EnteredCode): Promise<string> {
  const asked = await readCode(deps, entered);
  const isRight = await asked.judge();
  if (!isRight || asked.email !== email) throw invalidCode();
  return asked.mailId;
}

/**
 * Checks a code and uses it in `write`, which returns null if the code was used before. Returns what `write` returns.
 * Throws INVALID_TOTP, and ACCOUNT_LOCKED after ten wrong codes.
 */
export async function withCode<T>(
  deps: Deps,
  caller: SessionPrincipal,
  { userId, email, secondFactor }: StoredProof & { secondFactor: StoredSecret },
  code: string,
  write: (factor: Factor) => Promise<T | null>,
): Promise<T> {
  const { value, startedLock } = await deps.guesses.check("totp", email, async () => {
    const factor = await readFactor(deps, userId, secondFactor, code);
    return factor && (await write(factor));
  });
  if (startedLock) {
    deps.background("record lock", recordLock(deps, caller, "totp"));
    await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  }
  if (value === null) throw new AppError("INVALID_TOTP");
  return value;
}

/** Whether the user has a second factor. */
export const hasSecondFactor = (user: StoredProof): user is StoredProof & { secondFactor: StoredSecret } =>
  user.secondFactor !== null;
