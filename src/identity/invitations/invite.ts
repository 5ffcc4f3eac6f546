/** Inviting somebody into a tenant, and accepting and revoking invitations. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { queueMail } from "../../base/mail/queue";
import {
  isConfined,
  OWN_CREDENTIALS_NEEDED,
  type PlatformKeyPrincipal,
  type Principal,
  type SessionPrincipal,
} from "../../base/schemas/principal";
import { type Role, rolesManagedBy } from "../../base/schemas/roles";
import { DAY_MS } from "../../base/time";
import type { NewAuditEvent } from "../../tenancy/audit/record-store";
import { tellOfJoining } from "../../tenancy/tenants/owner-notices";
import { inTenant } from "../platform-keys/audit-store";
import { requireTenant } from "../platform-keys/subjects";
import { requireVerifiedAddress } from "../step-up/confirm";
import { acceptInvitationByToken } from "./join-store";
import {
  closeInvitation,
  findInvitationByToken,
  type InvitationAddress,
  insertInvitation,
  type NewInvitation,
} from "./store";

const LIFETIME_MS = 7 * DAY_MS;

/** Throws FORBIDDEN for a role that the inviter may not give, and EMAIL_NOT_VERIFIED. */
export function refuseInviter(deps: Deps, inviter: SessionPrincipal, role: Role): void {
  if (!rolesManagedBy(inviter.role).includes(role)) throw new AppError("FORBIDDEN");
  if (role === "owner" && isConfined(inviter)) throw new AppError("FORBIDDEN", { message: OWN_CREDENTIALS_NEEDED });
  requireVerifiedAddress(deps, inviter);
}

/**
 * Stores an invitation and queues its mail. Throws RATE_LIMITED for an address that was invited within the last
 * minutes, and CONFLICT for a member or at the cap of open invitations.
 */
export async function invite(
  deps: Deps,
  inviter: SessionPrincipal,
  guest: { email: string; role: Role },
): Promise<NewInvitation> {
  const { tenantId, userId, actor } = inviter;
  return inviteAs(deps, { tenantId, invitedBy: userId }, guest, (event) => [{ ...event, tenantId, actor }]);
}

/** Invites in the name of the product, with a platform key. Throws NOT_FOUND, and as `invite` does. */
export async function inviteBy(
  deps: Deps,
  key: PlatformKeyPrincipal,
  ref: string,
  guest: { email: string; role: Role },
): Promise<NewInvitation> {
  const { tenantId } = await requireTenant(deps, key, ref);
  const by = { tenantId, invitedBy: "" };
  return inviteAs(deps, by, guest, ({ action, target, meta }) => inTenant(key, tenantId, action, target, meta));
}

type Invited = Required<Pick<NewAuditEvent, "action" | "target" | "meta">>;

async function inviteAs(
  deps: Deps,
  { tenantId, invitedBy }: Pick<NewInvitation, "tenantId" | "invitedBy">,
  guest: { email: string; role: Role },
  eventsOf: (invited: Invited) => NewAuditEvent[],
): Promise<NewInvitation> {
  refuseOverLimit(await deps.limiter.consume("inviteAddress", `${tenantId}:${guest.email}`));
  const [id, createdAt] = [newId(), deps.now()];
  const invitation = { id, tenantId, ...guest, invitedBy, createdAt, expiresAt: createdAt + LIFETIME_MS };
  const target = { kind: "invitation", id } as const;
  const events = eventsOf({ action: "member.invited", target, meta: { role: guest.role } });
  const outcome = await insertInvitation(deps, invitation, events);
  if (outcome === "member") throw new AppError("CONFLICT", { message: "This person is already a member." });
  if (outcome === "full") throw capReached("invitations", deps.config.caps);
  await queueMail(deps, { kind: "invitation", tenantId, invitationId: invitation.id });
  return invitation;
}

/** Revokes an open invitation of the caller's tenant. Throws NOT_FOUND. */
export async function revokeInvitation(deps: Deps, caller: Principal, id: string): Promise<void> {
  if (!(await closeInvitation(deps, caller, id, deps.now()))) throw notFound("Invitation");
}

/** The one refusal for an invitation that is unknown, used, revoked, expired or for another address. */
export const badInvitation = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired invitation token." });

/** Returns what the open invitation of a token says; null when there is none. */
export const describeInvitation = async (deps: Deps, token: string): Promise<InvitationAddress | null> =>
  findInvitationByToken(deps, await sha256Hex(token), deps.now());

/** Returns what the open invitation of a token says. Throws INVALID_TOKEN. */
export async function lookUpInvitation(deps: Deps, token: string): Promise<InvitationAddress> {
  const found = await describeInvitation(deps, token);
  if (!found) throw badInvitation();
  return found;
}

/**
 * Joins the tenant of an invitation that was sent to the caller's address. Throws INVALID_TOKEN, CONFLICT at the cap of
 * members.
 */
export async function acceptInvitation(deps: Deps, caller: SessionPrincipal, token: string) {
  const joined = await acceptInvitationByToken(deps, caller, await sha256Hex(token), deps.now());
  if (joined === "closed") throw badInvitation();
  if (joined === "full") throw capReached("members", deps.config.caps);
  tellOfJoining(deps, joined, { userId: caller.userId, email: caller.account.email });
  return joined;
}
