/** Checking the password or a code of somebody who is signed in. Wrong ones count as at login. */
import { verifyPassword } from "../crypto/passwords";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { queueMailIfPossible } from "../mail/queue";
import { readFactor } from "../two-factor/codes";
import type { Factor, StoredSecret } from "../two-factor/store";
import type { StoredProof } from "./store";

/** Throws WRONG_PASSWORD, and ACCOUNT_LOCKED after ten wrong ones. */
export async function checkPassword(deps: Deps, user: StoredProof, password: string): Promise<void> {
  const { value: right } = await deps.guesses.check("password", user.email, async () => {
    const { correct } = await verifyPassword(password, user.passwordHash);
    return correct || null;
  });
  if (!right) throw new AppError("WRONG_PASSWORD");
}

/**
 * Checks a code and uses it by `write`, which returns null when it was used before. Returns what `write` returns. Throws INVALID_TOTP, and
 * ACCOUNT_LOCKED after ten wrong codes.
 */
export async function withCode<T>(
  deps: Deps,
  { userId, email, secondFactor }: StoredProof & { secondFactor: StoredSecret },
  code: string,
  write: (factor: Factor) => Promise<T | null>,
): Promise<T> {
  const { value, startedLock } = await deps.guesses.check("totp", email, async () => {
    const factor = await readFactor(deps, userId, secondFactor, code);
    return factor && (await write(factor));
  });
  if (startedLock) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  if (value === null) throw new AppError("INVALID_TOTP");
  return value;
}

/** Whether the user has a second factor. */
export const hasSecondFactor = (user: StoredProof): user is StoredProof & { secondFactor: StoredSecret } =>
  user.secondFactor !== null;
