/** Turning two-factor authentication on and off. */

import { newId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import { queueMailIfPossible } from "../../../base/mail/queue";
import { newRevert } from "../../../base/mail/revert-store";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import { withCode } from "../../accounts/verify";
import { breaksGlassWithFactor, tellOfBrokenGlass } from "../../policy/broken-glass";
import { enrolmentUri, newRecoveryCodes, newTotpSecret, stepOf } from "../../two-factor/codes";
import type { Enrolment } from "../../two-factor/schemas";
import {
  disableTwoFactorOfUser,
  enableTwoFactorOfUser,
  type FactorUse,
  findTwoFactorOfUser,
  hasSecondFactor,
  replaceRecoveryCodesOfUser,
  startEnrolmentOfUser,
} from "../../two-factor/store";

/** Creates a secret, which has no effect until `confirmEnrolment`. Throws TWO_FACTOR_ALREADY_ENABLED. */
export async function startEnrolment(deps: Deps, userId: string): Promise<Enrolment> {
  const { secret, secretEncrypted } = await newTotpSecret(deps, userId);
  const stored = { totpEnrolmentId: newId(), totpSecretEncrypted: secretEncrypted };
  const user = await startEnrolmentOfUser(deps, userId, stored);
  if (!user) throw new AppError("TWO_FACTOR_ALREADY_ENABLED");
  return { secret, qrCodeUri: enrolmentUri(deps, secret, user.email) };
}

/**
 * Turns two-factor authentication on with a first code, stores the hashes of the first recovery codes, and ends the
 * user's other sessions. Throws TWO_FACTOR_NOT_STARTED, TWO_FACTOR_ALREADY_ENABLED, INVALID_TOTP.
 */
export async function confirmEnrolment(
  deps: Deps,
  caller: SessionPrincipal,
  code: string,
  codeHashes: readonly string[] = [],
): Promise<void> {
  const { userId, tenantId, sessionId, actor, account } = caller;
  const user = await findTwoFactorOfUser(deps, userId);
  if (user?.totpEnabledAt) throw new AppError("TWO_FACTOR_ALREADY_ENABLED");
  if (!user?.totpSecretEncrypted || !user.totpEnrolmentId) throw new AppError("TWO_FACTOR_NOT_STARTED");
  const step = await stepOf(deps, userId, user.totpSecretEncrypted, code);
  if (step === null) throw new AppError("INVALID_TOTP");
  const revert = await newRevert(deps.keys, deps.now());
  const breaksGlass = breaksGlassWithFactor(deps, caller);
  const enabling = {
    ...{ userId, tenantId, actor, sessionId, enrolmentId: user.totpEnrolmentId, step, codeHashes, revert },
    ...(breaksGlass === 1 ? { meta: { breakGlass: true } as const } : {}),
  };
  if (!(await enableTwoFactorOfUser(deps, enabling, deps.now()))) throw new AppError("INVALID_TOTP");
  tellOfBrokenGlass(deps, { tenantId, breaksGlass }, account.email);
  await queueMailIfPossible(deps, { kind: "twoFactorChanged", id: revert.mailId, userId, enabled: true });
}

/** Like `confirmEnrolment`, and returns the first recovery codes, so that nobody has to wait for a second TOTP code. */
export async function confirmWithRecoveryCodes(deps: Deps, caller: SessionPrincipal, code: string): Promise<string[]> {
  const { codes, hashes } = await newRecoveryCodes();
  await confirmEnrolment(deps, caller, code, hashes);
  return codes;
}

/**
 * Turns two-factor authentication off with a TOTP or recovery code. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP,
 * ACCOUNT_LOCKED.
 */
export async function disableTwoFactor(deps: Deps, caller: SessionPrincipal, code: string): Promise<void> {
  const { userId } = caller;
  const mailId = await useFactor(deps, caller, code, (use) => disableTwoFactorOfUser(deps, use, deps.now()));
  await queueMailIfPossible(deps, { kind: "twoFactorChanged", id: mailId, userId, enabled: false });
}

/**
 * Replaces the recovery codes and returns the new ones. Throws TWO_FACTOR_NOT_ENABLED, INVALID_TOTP, ACCOUNT_LOCKED.
 */
export async function renewRecoveryCodes(deps: Deps, caller: SessionPrincipal, code: string): Promise<string[]> {
  const { userId } = caller;
  const { codes, hashes } = await newRecoveryCodes();
  const mailId = await useFactor(deps, caller, code, (use) =>
    replaceRecoveryCodesOfUser(deps, use, hashes, deps.now()),
  );
  await queueMailIfPossible(deps, { kind: "recoveryCodesRenewed", id: mailId, userId });
  return codes;
}

/**
 * Checks a code and uses it in `write`, which returns false if the code was used before. Wrong codes count as they do
 * at login. Returns the id of the mail that reports the write.
 */
async function useFactor(
  deps: Deps,
  caller: SessionPrincipal,
  code: string,
  write: (use: FactorUse) => Promise<boolean>,
): Promise<string> {
  const { userId, tenantId, actor } = caller;
  const user = await findTwoFactorOfUser(deps, userId);
  if (!user || !hasSecondFactor(user)) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const revert = await newRevert(deps.keys, deps.now());
  await withCode(
    deps,
    caller,
    user,
    code,
    async (factor) => (await write({ userId, tenantId, actor, factor, revert })) || null,
  );
  return revert.mailId;
}
