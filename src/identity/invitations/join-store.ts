/**
 * Joining a tenant by an invitation. One write uses it: a registration, or the acceptance by a signed-in user with the
 * invited address.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { type Actor, type RequestOrigin, userActor } from "../../base/schemas/actor";
import type { Principal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { isDeactivated } from "../../tenancy/tenants/deactivated-store";
import { mayManageRole, roleOf } from "../../tenancy/tenants/roles-store";
import { countedMembers } from "../../tenancy/tenants/room-store";
import { firstCredentialOf, type NewUser } from "../accounts/new-user-store";
import { addressOfNewUser } from "../addresses-store";
import { rememberDevice } from "../sessions/known-devices-store";
import { mintSession, type NewSession } from "../sessions/store";
import type { TokenSubject } from "../sessions/token-subject-store";
import { isSignOnForNew } from "../tokens/sign-on-due-store";

/**
 * Selects the id of the open invitation of a token, if it is for this address and its inviter could still give the role
 * today: as a member who may manage it and is not suspended. The product, which has no id, always could. Nobody whom
 * the tenant's directory has deactivated joins.
 */
export const openByToken = (tokenHash: string, email: SQL | string, nowMs: number) =>
  sql`SELECT i.id FROM email_tokens t JOIN invitations i ON i.id = t.subject_id
    WHERE t.hash = ${tokenHash} AND t.purpose = 'invite' AND i.email = ${email}
      AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${nowMs}
      AND (i.invited_by = '' OR ${mayManageRole(roleOf(sql`i.tenant_id`, sql`i.invited_by`), sql`i.role`)})
      AND NOT EXISTS (SELECT 1 FROM users iu WHERE iu.id = i.invited_by AND iu.suspended_at IS NOT NULL)
      AND NOT ${isDeactivated(sql`i.tenant_id`, {
        userId: sql`(SELECT au.id FROM users au WHERE au.email = ${email})`,
        email: sql`i.email`,
      })}`;

/** The tenant of an open invitation of this address. */
export async function findOpenInvitation(
  { db, config }: Deps,
  tokenHash: string,
  email: string,
  nowMs: number,
): Promise<OpenInvitation | null> {
  const mustSignOn = isSignOnForNew(config, sql`invitations.tenant_id`, email, nowMs);
  const found = await queryFirst<Omit<OpenInvitation, "tokenHash">>(db)`SELECT tenant_id AS tenantId, role,
      ${mustSignOn} AS mustSignOn
    FROM invitations WHERE id = (${openByToken(tokenHash, email, nowMs)})`;
  return found ? { ...found, tokenHash } : null;
}

/** Whether the tenant of the open invitation has room for one more member. */
const hasRoom = (open: SQL, mostMembers: number) =>
  sql`${countedMembers(sql`(SELECT tenant_id FROM invitations WHERE id = (${open}))`)} < ${mostMembers}`;

/** Since when somebody who joins by an invitation `i` is an owner. */
const ownerSince = (nowMs: number) => sql`iif(i.role = 'owner', ${nowMs}, NULL)`;

/**
 * Why an invitation was not accepted: `full` when the tenant already has the maximum number of members, `closed` when
 * it was not open.
 */
export type NotJoined = "full" | "closed";

/** An invitation that was open when it was read. */
export interface OpenInvitation {
  tenantId: string;
  /** That of whoever joins by it. */
  role: Role;
  tokenHash: string;
  /** Whether the tenant requires its own sign-on of the address. */
  mustSignOn: 0 | 1;
}

/**
 * Writes user and membership and uses the invitation, or writes nothing. The address counts as verified: the token was
 * mailed to it.
 */
export function joinByToken(
  { config }: Deps,
  { userId, email, name, passwordHash, createdFrom, locale }: NewUser,
  { tokenHash }: OpenInvitation,
  nowMs: number,
) {
  const open = openByToken(tokenHash, email, nowMs);
  return {
    user: sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, created_from, locale,
        created_at)
      SELECT ${userId}, ${addressOfNewUser(email, nowMs)}, ${name}, ${passwordHash}, ${nowMs}, ${createdFrom},
        ${locale}, ${nowMs}
      WHERE EXISTS (${open}) AND ${hasRoom(open, config.caps.members)}`,
    // After the user, who is written only if there is room.
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, last_used_at, created_at)
      SELECT i.tenant_id, u.id, i.role, ${ownerSince(nowMs)}, ${nowMs}, ${nowMs}
      FROM invitations i JOIN users u ON u.id = ${userId} WHERE i.id = (${open})`,
    // After the statements that ask whether the invitation is open.
    accepted: sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId}
      WHERE id = (${open}) AND EXISTS (SELECT 1 FROM users WHERE id = ${userId})`,
    // Last: if the invitation is still open here, the tenant had no room.
    stillOpen: open,
  };
}

/**
 * The events of a new user who has joined. They must follow a statement that changes a row if and only if the user has
 * joined.
 */
export const recordJoining = (actor: Actor, tenantId: string, userId: string, meta?: Record<string, string>) => {
  const event = { tenantId, actor, target: { kind: "user", id: userId } } as const;
  return {
    registered: auditIfChanged({ ...event, action: "auth.registered", ...(meta ? { meta } : {}) }),
    joined: auditIfChanged({
      ...event,
      action: "member.joined",
      meta: sql`json_object('role', ${roleOf(tenantId, userId)})`,
    }),
  };
};

/**
 * Writes user, membership and first session and uses the invitation, or writes nothing. Returns the session. Throws on
 * a taken email.
 */
export async function insertInvitedByToken(
  deps: Deps,
  user: NewUser,
  invitation: OpenInvitation,
  session: NewSession,
  origin: RequestOrigin,
  nowMs: number,
): Promise<TokenSubject | NotJoined> {
  const { userId, email } = user;
  const { tenantId } = invitation;
  const { stored, preconditions, meta } = firstCredentialOf(user);
  const { minted, stillOpen } = await atomically(deps.db, {
    ...joinByToken(deps, user, invitation, nowMs),
    ...stored,
    // After the membership that it joins with.
    minted: mintSession(deps.config, session, { tenantId, ...preconditions }, nowMs),
    ...recordJoining(userActor({ userId, email, sessionId: session.id }, origin), tenantId, userId, meta.meta),
    ...rememberDevice(session, nowMs),
  });
  return minted[0] ?? (stillOpen.length > 0 ? "full" : "closed");
}

export interface JoinedTenant {
  tenantId: string;
  role: Role;
  tenantName: string;
}

/** Makes a signed-in user a member and uses the invitation. An invitation for another address is `closed`. */
export async function acceptInvitationByToken(
  { db, config }: Deps,
  { userId, tenantId, actor }: Pick<Principal, "userId" | "tenantId" | "actor">,
  tokenHash: string,
  nowMs: number,
): Promise<JoinedTenant | NotJoined> {
  const open = openByToken(tokenHash, sql`(SELECT email FROM users WHERE id = ${userId})`, nowMs);
  const joinedTenant = sql`(SELECT tenant_id FROM invitations WHERE id = (${open}))`;
  const event = { actor, target: { kind: "user", id: userId } } as const;
  const isMember = sql`EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = ${userId}
    AND m.tenant_id = invitations.tenant_id)`;
  const { accepted, stillOpen } = await atomically(db, {
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, created_at)
      SELECT i.tenant_id, ${userId}, i.role, ${ownerSince(nowMs)}, ${nowMs} FROM invitations i WHERE id = (${open})
        AND ${hasRoom(open, config.caps.members)}
      ON CONFLICT DO NOTHING`,
    joined: auditIfChanged({
      ...event,
      tenantId: joinedTenant,
      action: "member.joined",
      meta: sql`json_object('role', ${roleOf(joinedTenant, userId)})`,
    }),
    verified: sql`UPDATE users SET email_verified_at = ${nowMs} WHERE id = ${userId} AND email_verified_at IS NULL AND
      EXISTS (${open})`,
    recorded: auditIfChanged({
      ...event,
      // In the caller's tenant when the inviting one had no room: a tenant must not learn where a stranger signs in
      // from.
      tenantId: sql`iif(${roleOf(joinedTenant, userId)} IS NULL, ${tenantId}, ${joinedTenant})`,
      action: "auth.email_verified",
    }),
    // After the statements that ask whether the invitation is open, and only for a member: there may have been no room.
    accepted: rows<JoinedTenant>(sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId}
      WHERE id = (${open}) AND ${isMember}
      RETURNING tenant_id AS tenantId, role, (SELECT name FROM tenants WHERE id = tenant_id) AS tenantName`),
    // Last: if the invitation is still open here, the tenant had no room.
    stillOpen: open,
  });
  return accepted[0] ?? (stillOpen.length > 0 ? "full" : "closed");
}
