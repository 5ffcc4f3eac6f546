/** Inviting somebody into a tenant, and accepting. */
import { sha256Hex } from "../crypto/encoding";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import type { Principal } from "../tenants/principal";
import type { Role } from "../tenants/roles";
import { DAY_MS } from "../time";
import { acceptInvitationByToken, insertInvitation, type NewInvitation } from "./store";

const LIFETIME_MS = 7 * DAY_MS;

/** Stores an invitation and queues its mail. Throws FORBIDDEN (only owners make owners), CONFLICT (a member already). */
export async function invite(
  deps: Deps,
  inviter: Principal,
  guest: { email: string; role: Role },
): Promise<NewInvitation> {
  if (guest.role === "owner" && inviter.role !== "owner") throw new AppError("FORBIDDEN");
  const createdAt = deps.now();
  const { tenantId, userId } = inviter;
  const times = { createdAt, expiresAt: createdAt + LIFETIME_MS };
  const invitation = { id: newId(), tenantId, ...guest, invitedBy: userId, ...times };
  if (!(await insertInvitation(deps, invitation))) {
    throw new AppError("CONFLICT", { message: "This person is a member already." });
  }
  await deps.mailQueue.send({ kind: "invitation", tenantId, invitationId: invitation.id });
  return invitation;
}

/** Refused alike when unknown, used, revoked, expired or for another address. */
export const badInvitation = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired invitation token." });

/** Joins the tenant of an invitation to the caller's address. Throws INVALID_TOKEN. */
export async function acceptInvitation(deps: Deps, userId: string, token: string) {
  const joined = await acceptInvitationByToken(deps, userId, await sha256Hex(token), deps.now());
  if (!joined) throw badInvitation();
  return joined;
}
