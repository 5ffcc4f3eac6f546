/**
 * Registration with a passkey in place of a password, by the rules of any registration. Nothing is stored before the
 * authenticator has answered: the state of its options keeps who registers.
 */

import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { ClientContext } from "../../base/schemas/client-context";
import { refuseTenantless, refuseUninvited } from "../accounts/registration";
import { isPasskeyUsed } from "../passkeys/store";
import { checkNewPasskey, invalidPasskey, type MadePasskey } from "../passkeys/webauthn/attestation";
import { signUpOptions } from "../passkeys/webauthn/options";
import type { CreationOptions } from "../passkeys/webauthn/schemas";
import type { OpenedSession } from "../sessions/tokens";
import { createAccount, findInvitation, type NewRegistrant } from "./signup";

/** Who registers, with the id that the passkey will name. */
type NewAccount = NewRegistrant & { userId: string };

/**
 * Returns the options with which a page makes the passkey. They do not tell whether the address is taken. Throws
 * FORBIDDEN where registration is not open to the address.
 */
export async function startPasskeyRegistration(
  deps: Deps,
  { email, name, tenantName, invitationToken }: NewRegistrant,
): Promise<CreationOptions> {
  refuseUninvited(deps.config.registration, { email, invitationToken });
  refuseTenantless(deps.config, { tenantName, invitationToken });
  return signUpOptions(deps, { userId: newId(), email, name: name ?? null, tenantName, invitationToken });
}

/**
 * Creates the account with the passkey and queues the verification mail. Throws VALIDATION_FAILED when the
 * authenticator's answer is not valid or the state was used or has expired, FORBIDDEN, and as `createAccount`.
 */
export async function registerWithPasskey(
  deps: Deps,
  { state, response, name }: MadePasskey & { name: string },
  client: ClientContext,
): Promise<OpenedSession> {
  const context = { purpose: "sign-up", userId: null, requestId: client.origin.requestId } as const;
  const { stateId, credential, account } = await checkNewPasskey<NewAccount>(deps, context, { state, response });
  if (!account) throw invalidPasskey();
  const { userId } = account;
  refuseUninvited(deps.config.registration, account);
  refuseTenantless(deps.config, account);
  const invitation = await findInvitation(deps, account);
  const row = { ...credential, userId, name, createdAt: deps.now(), lastUsedAt: null };
  try {
    return await createAccount(deps, account, invitation, { userId, passkey: { row, stateId } }, client);
  } catch (error) {
    if (isPasskeyUsed(error)) throw invalidPasskey();
    throw error;
  }
}
