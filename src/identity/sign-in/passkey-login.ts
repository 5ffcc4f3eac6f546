/**
 * Login with a passkey. Nobody names an account: the authenticator does, so the answers reveal nothing about email
 * addresses.
 */

import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { ClientContext } from "../../base/schemas/client-context";
import { recordFailedLogin } from "../../tenancy/audit/failed-login-store";
import { findAccountByPasskey, type PasskeyAccount } from "../accounts/credentials-store";
import { checkPasskey, type ShownPasskey } from "../passkeys/webauthn/assertion";
import type { OpenedSession } from "../sessions/tokens";
import { openSession, requireMember, requireVerified } from "./open";

/** The answer to the options for a login, and one of the user's tenants; the one used last when missing. */
export type PasskeyLogin = ShownPasskey & { tenantId?: string | undefined };

/**
 * Opens a session. Throws UNAUTHENTICATED for whatever is wrong with the passkey or its challenge, EMAIL_NOT_VERIFIED,
 * and NOT_FOUND for a tenant that the user is not a member of.
 */
export async function loginWithPasskey(deps: Deps, input: PasskeyLogin, client: ClientContext): Promise<OpenedSession> {
  const { requestId } = client.origin;
  const account = await findAccountByPasskey(deps, input.response.id, input.tenantId ?? null);
  if (!account) throw invalidPasskey();
  const { userId, publicKey, aaguid } = account;
  const stored = { id: input.response.id, userId, publicKey, aaguid };
  const use = await checkPasskey(deps, { purpose: "login", userId: null, requestId }, input, stored);
  if (!use) throw refused(deps, account, client);
  await requireVerified(deps, account);
  requireMember(account, input.tenantId);
  const opened = await openSession(deps, account, { method: "passkey", use }, client);
  if (!opened) throw refused(deps, account, client);
  return opened;
}

const invalidPasskey = () => new AppError("UNAUTHENTICATED", { message: "Invalid passkey." });

function refused(deps: Deps, account: PasskeyAccount, { origin }: ClientContext): AppError {
  const attempt = { pool: "passkey", startedLock: false } as const;
  deps.background("record failed login", recordFailedLogin(deps, account, attempt, origin));
  return invalidPasskey();
}
