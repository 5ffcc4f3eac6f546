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

/** Turns two-factor authentication off with a TOTP or recovery code. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP. */
export async function disableTwoFactor(deps: Deps, userId: string, code: string): Promise<void> {
  const factor = await requireFactor(deps, userId, code);
  if (!(await disableTwoFactorOfUser(deps, userId, factor))) throw new AppError("INVALID_TOTP");
  await queueMail(deps, { kind: "twoFactorChanged", userId, enabled: false });
}

/** Replaces the recovery codes and returns the new ones. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP. */
export async function renewRecoveryCodes(deps: Deps, userId: string, code: string): Promise<string[]> {
  const factor = await requireFactor(deps, userId, code);
  const { codes, hashes } = await newRecoveryCodes();
  if (!(await replaceRecoveryCodesOfUser(deps, userId, factor, hashes, deps.now()))) throw new AppError("INVALID_TOTP");
  return codes;
}

async function requireFactor(deps: Deps, userId: string, code: string): Promise<Factor> {
  const user = await findTwoFactorOfUser(deps, userId);
  if (!user?.totpEnabledAt || !user.totpSecretSealed) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const factor = await readFactor(deps, userId, user.totpSecretSealed, code);
  if (!factor) throw new AppError("INVALID_TOTP");
  return factor;
}
