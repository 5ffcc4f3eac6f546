/** The second factor of a sign-in, after any first credential. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import { accountSuspended } from "../../tenancy/tenants/suspension";
import type { StoredCredentials } from "../accounts/credentials-store";
import type { OpenedSession } from "../sessions/tokens";
import { readFactor } from "../two-factor/codes";
import { hasSecondFactor } from "../two-factor/store";
import { checkAttempt } from "./attempt";
import type { FirstCredential } from "./credential-store";
import { openSession, requireMember } from "./open";

/** What a sign-in request contains besides its credential. */
export interface SignInChoice {
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  /** One of the user's tenants; the one used last when missing. */
  tenantId?: string | undefined;
}

/**
 * Opens a session after a correct first credential, with the second factor if the account has one. Returns null when
 * the first credential no longer holds. Throws FORBIDDEN for a suspended account, TOTP_REQUIRED, INVALID_TOTP,
 * ACCOUNT_LOCKED, and NOT_FOUND for a tenant that the user is not a member of.
 */
export async function completeSignIn(
  deps: Deps,
  stored: StoredCredentials,
  first: FirstCredential,
  { totp, tenantId }: SignInChoice,
  client: ClientContext,
): Promise<OpenedSession | null> {
  if (stored.suspendedAt !== null) throw accountSuspended();
  if (!hasSecondFactor(stored)) {
    requireMember(stored, tenantId);
    return openSession(deps, stored, { ...first, factor: null }, client);
  }
  if (totp === undefined) throw new AppError("TOTP_REQUIRED");
  const { email, userId } = stored;
  const evaluate = async () => {
    const factor = await readFactor(deps, userId, stored, totp);
    if (!factor) return null;
    requireMember(stored, tenantId);
    return openSession(deps, stored, { ...first, factor }, client);
  };
  const account = Promise.resolve(stored);
  // Wrong passwords must not lock out people who sign in without one.
  const boundBy = first.method === "password" ? undefined : (["totp"] as const);
  const attempt = { pool: "totp", boundBy, email, account, origin: client.origin, evaluate } as const;
  const { value: opened, startedLock } = await checkAttempt(deps, attempt);
  if (startedLock) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  if (!opened) throw new AppError("INVALID_TOTP");
  return opened;
}
