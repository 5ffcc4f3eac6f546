/** The second factor of a sign-in, whatever the first proof was. */
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { Visit } from "../../platform/schemas/visit";
import { accountSuspended } from "../../tenancy/tenants/suspension";
import type { OpenedSession } from "../sessions/tokens";
import { readFactor } from "../two-factor/codes";
import type { StoredSecret } from "../two-factor/store";
import { checkGuess } from "./guess";
import { openProven, requireMember } from "./open";
import type { FirstProof } from "./proof-store";
import type { StoredCredentials } from "./store";

/** Whether the account asks for a second factor. */
export const hasSecondFactor = (
  stored: StoredCredentials,
): stored is StoredCredentials & StoredSecret & { totpEnabledAt: number } =>
  stored.totpEnabledAt !== null && stored.totpSecretEncrypted !== null && stored.totpEnrolmentId !== null;

/** What a sign-in request contains besides its proof. */
export interface SignInChoice {
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  /** One of the user's tenants; the one used last when missing. */
  tenantId?: string | undefined;
}

/**
 * Opens a session after a correct first proof, with the second factor if the account has one. Returns null when the
 * first proof no longer holds. Throws FORBIDDEN for a suspended account, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED,
 * and NOT_FOUND for a tenant that the user is not a member of.
 */
export async function openWithFactors(
  deps: Deps,
  stored: StoredCredentials,
  first: FirstProof,
  { totp, tenantId }: SignInChoice,
  visit: Visit,
): Promise<OpenedSession | null> {
  if (stored.suspendedAt !== null) throw accountSuspended();
  if (!hasSecondFactor(stored)) {
    requireMember(stored, tenantId);
    return openProven(deps, stored, { ...first, factor: null }, visit);
  }
  if (totp === undefined) throw new AppError("TOTP_REQUIRED");
  const { email, userId } = stored;
  const evaluate = async () => {
    const factor = await readFactor(deps, userId, stored, totp);
    if (!factor) return null;
    requireMember(stored, tenantId);
    return openProven(deps, stored, { ...first, factor }, visit);
  };
  const account = Promise.resolve(stored);
  // Wrong guesses of a password must not lock out people who sign in without one.
  const boundBy = first.method === "password" ? undefined : (["totp"] as const);
  const guess = { pool: "totp", boundBy, email, account, origin: visit.origin, evaluate } as const;
  const { value: opened, startedLock } = await checkGuess(deps, guess);
  if (startedLock) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  if (!opened) throw new AppError("INVALID_TOTP");
  return opened;
}
