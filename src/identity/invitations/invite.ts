/** Inviting somebody into a tenant, and accepting and revoking invitations. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { queueMail } from "../../base/mail/queue";
import type { Principal, SessionPrincipal } from "../../base/schemas/principal";
import { ROLES_MANAGED_BY, type Role } from "../../base/schemas/roles";
import { DAY_MS } from "../../base/time";
import { tellOfJoining } from "../../tenancy/tenants/owner-notices";
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
  if (!ROLES_MANAGED_BY[inviter.role]?.includes(role)) throw new AppError("FORBIDDEN");
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
  const { tenantId, userId } = inviter;
  refuseOverLimit(await deps.limiter.consume("inviteAddress", `${tenantId}:${guest.email}`));
  const createdAt = deps.now();
  const times = { createdAt, expiresAt: createdAt + LIFETIME_MS };
  const invitation = { id: newId(), tenantId, ...guest, invitedBy: userId, ...times };
  const outcome = await insertInvitation(deps, invitation, inviter.actor);
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
