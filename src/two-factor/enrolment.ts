/** Turning two-factor authentication on and off. */
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { queueMail } from "../mail/queue";
import { enrolmentUri, newRecoveryCodes, newTotpSecret, readFactor, stepOf } from "./codes";
import type { Enrolment } from "./schemas";
import {
  disableTwoFactorOfUser,
  enableTwoFactorOfUser,
  type Factor,
  findTwoFactorOfUser,
  replaceRecoveryCodesOfUser,
  startEnrolmentOfUser,
} from "./store";

/** Creates a secret that `confirmEnrolment` has yet to confirm. Throws TWO_FACTOR_ALREADY_ENABLED. */
export async function startEnrolment(deps: Deps, userId: string): Promise<Enrolment> {
  const { secret, secretSealed } = await newTotpSecret(deps, userId);
  const user = await startEnrolmentOfUser(deps, userId, secretSealed);
  if (!user) throw new AppError("TWO_FACTOR_ALREADY_ENABLED");
  return { secret, qrCodeUri: enrolmentUri(secret, user.email) };
}

/** Turns two-factor authentication on with a first code. Throws TWO_FACTOR_NOT_STARTED, TWO_FACTOR_ALREADY_ENABLED, INVALID_TOTP. */
export async function confirmEnrolment(deps: Deps, userId: string, code: string): Promise<void> {
  const user = await findTwoFactorOfUser(deps, userId);
  if (user?.totpEnabledAt) throw new AppError("TWO_FACTOR_ALREADY_ENABLED");
  if (!user?.totpSecretSealed) throw new AppError("TWO_FACTOR_NOT_STARTED");
  const step = await stepOf(deps, userId, user.totpSecretSealed, code);
  const first = step !== null && { secretSealed: user.totpSecretSealed, step };
  if (!first || !(await enableTwoFactorOfUser(deps, userId, first, deps.now()))) throw new AppError("INVALID_TOTP");
  await queueMail(deps, { kind: "twoFactorChanged", userId, enabled: true });
}

/** Turns two-factor authentication off with a TOTP or recovery code. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP, ACCOUNT_LOCKED. */
export async function disableTwoFactor(deps: Deps, userId: string, code: string): Promise<void> {
  await useFactor(deps, userId, code, (factor) => disableTwoFactorOfUser(deps, userId, factor));
  await queueMail(deps, { kind: "twoFactorChanged", userId, enabled: false });
}

/** Replaces the recovery codes and returns the new ones. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP, ACCOUNT_LOCKED. */
export async function renewRecoveryCodes(deps: Deps, userId: string, code: string): Promise<string[]> {
  const { codes, hashes } = await newRecoveryCodes();
  await useFactor(deps, userId, code, (factor) => replaceRecoveryCodesOfUser(deps, userId, factor, hashes, deps.now()));
  return codes;
}

/** Checks a code and uses it by `write`, which returns false when it was used before. Wrong codes count as at login. */
async function useFactor(
  deps: Deps,
  userId: string,
  code: string,
  write: (factor: Factor) => Promise<boolean>,
): Promise<void> {
  const user = await findTwoFactorOfUser(deps, userId);
  if (!user?.totpEnabledAt || !user.totpSecretSealed) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const secret = user.totpSecretSealed;
  const { value: used } = await deps.guesses.check("totp", user.email, async () => {
    const factor = await readFactor(deps, userId, secret, code);
    return (factor && (await write(factor))) || null;
  });
  if (!used) throw new AppError("INVALID_TOTP");
}
