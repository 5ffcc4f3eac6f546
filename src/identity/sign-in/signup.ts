/** Registration: one write creates a user, a tenant (or joins one by invitation) and a first session. */
import { sha256Hex } from "../../base/crypto/encoding";
import { hashPassword } from "../../base/crypto/passwords";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import type { Device } from "../../base/schemas/device";
import { nameOfOwnTenant } from "../../tenancy/tenants/name";
import { tellOfJoining } from "../../tenancy/tenants/owner-notices";
import type { NewUser } from "../accounts/new-user-store";
import { refuseTenantless, refuseUninvited } from "../accounts/registration";
import { isAddressTaken } from "../addresses-store";
import { badInvitation } from "../invitations/invite";
import {
  findOpenInvitation,
  insertInvitedByToken,
  type NotJoined,
  type OpenInvitation,
} from "../invitations/join-store";
import type { FirstPasskey } from "../passkeys/store";
import { refuseGuessable } from "../passwords/guessable";
import { requirePasswords } from "../passwords/off";
import { refuseWithoutSignOn, signOnRequired } from "../policy/sign-on-required";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import { insertAccount } from "./store";

export interface NewRegistrant {
  email: string;
  name?: string | undefined;
  tenantName?: string | undefined;
  invitationToken?: string | undefined;
}

/**
 * Creates the account and queues the verification mail. Throws FORBIDDEN where registration is not open to the address
 * or passwords are off, NO_TENANT, VALIDATION_FAILED for a guessable password, and as `createAccount`.
 */
export async function register(
  deps: Deps,
  { password, ...registrant }: NewRegistrant & { password: string },
  client: ClientContext,
): Promise<OpenedSession> {
  requirePasswords(deps.config);
  refuseUninvited(deps.config.registration, registrant);
  refuseTenantless(deps.config, registrant);
  await refuseGuessable(deps, "password", password, registrant.email);
  const invitation = await findInvitation(deps, registrant);
  return createAccount(deps, registrant, invitation, { passwordHash: await hashPassword(password) }, client);
}

/** The invitation that somebody registers with; null without one. Throws INVALID_TOKEN if it is not open for them. */
export async function findInvitation(
  deps: Deps,
  { email, invitationToken }: NewRegistrant,
): Promise<OpenInvitation | null> {
  if (invitationToken === undefined) return null;
  const invitation = await findOpenInvitation(deps, await sha256Hex(invitationToken), email, deps.now());
  if (!invitation) throw badInvitation();
  return invitation;
}

/** What a new user signs in with. */
type FirstCredential = { passwordHash: string } | { userId: string; passkey: FirstPasskey };

/**
 * Creates the account with a tenant of its own, or in the tenant of the invitation. Throws EMAIL_TAKEN, INVALID_TOKEN
 * for an invitation that was used in the meantime, CONFLICT when its tenant has no room, and SIGN_ON_REQUIRED when it
 * lets nobody in who has not signed on.
 */
export async function createAccount(
  deps: Deps,
  { email, name, tenantName }: NewRegistrant,
  invitation: OpenInvitation | null,
  credential: FirstCredential,
  client: ClientContext,
): Promise<OpenedSession> {
  const device = createdFrom(client.device);
  const registrant = { userId: newId(), email, name: name ?? null, locale: client.locale, createdFrom: device };
  const user = { ...registrant, passwordHash: "", ...credential };
  if (invitation) return intoTenant(deps, user, invitation, client);
  return withNewTenant(deps, user, tenantName ?? nameOfOwnTenant(name), client);
}

/** "Firefox on Linux, Lisbon, PT". */
export const createdFrom = ({ kind, location }: Device): string => [kind, location].filter(Boolean).join(", ");

async function withNewTenant(
  deps: Deps,
  user: NewUser,
  tenantName: string,
  client: ClientContext,
): Promise<OpenedSession> {
  const tenant = { id: newId(), name: tenantName };
  const draft = await draftSession(deps, user.userId, client.device);
  const opened = await orEmailTaken(insertAccount(deps, user, tenant, draft.row, client.origin, deps.now()));
  await queueMailIfPossible(deps, { kind: "verification", userId: user.userId });
  return openedSession(deps, draft, opened);
}

/** The invitation was mailed to this address, so the address counts as verified. */
async function intoTenant(
  deps: Deps,
  user: NewUser,
  invitation: OpenInvitation,
  client: ClientContext,
): Promise<OpenedSession> {
  // An owner may come with a passkey, as at any later login.
  const mayBreakGlass = invitation.role === "owner" && user.passkey !== undefined;
  if (invitation.mustSignOn === 1 && !mayBreakGlass) throw await signOnRequired(deps, { ...invitation, ...user });
  const draft = await draftSession(deps, user.userId, client.device);
  const joined = await orEmailTaken(insertInvitedByToken(deps, user, invitation, draft.row, client.origin, deps.now()));
  if (typeof joined === "string") {
    // The tenant may have begun to require it meanwhile.
    const { tenantId } = invitation;
    await refuseWithoutSignOn(deps, { tenantId, userId: user.userId }, user.passkey ? ["passkey"] : ["password"]);
    throw refusedJoining(deps, joined);
  }
  tellOfJoining(deps, invitation, user);
  return openedSession(deps, draft, joined);
}

/** INVALID_TOKEN for an invitation that is closed, CONFLICT when its tenant has no room. */
export const refusedJoining = ({ config }: Deps, why: NotJoined): AppError =>
  why === "closed" ? badInvitation() : capReached("members", config.caps);

async function orEmailTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isAddressTaken(error)) throw new AppError("EMAIL_TAKEN");
    throw error;
  }
}
