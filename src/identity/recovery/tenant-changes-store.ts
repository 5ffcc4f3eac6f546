/**
 * What an account has done in its tenants since a time, and undoing it, in D1. The audit log says what it was. Whoever
 * joined by its invitations leaves, with everybody whom they have invited in turn.
 */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { RequestOrigin } from "../../base/schemas/actor";
import { auditEach, holderOfToken } from "../../tenancy/audit/record-store";
import { endSessionsOfMembers, revokeMembers } from "../tokens/revocations-store";

/** A membership or an invitation, as mails name it. */
export interface ChangedAccess {
  tenantId: string;
  tenantName: string;
  email: string;
  /** The role that the person loses; for a role that is given back, the role they have from now on. */
  role: string;
}

export interface Suspicion {
  userId: string;
  /** Unix ms: what the account did since then is undone. */
  since: number;
  origin: RequestOrigin;
  /** A condition that holds while the link is unused. */
  isLive: SQL;
}

/** The events `a` of what the user did since `since` (Unix ms), without what a "this was not me" link undid. */
const acts = (userId: SQL | string, since: number, action: string) => sql`audit_events a
  WHERE coalesce(a.actor_id, a.target_id) = ${userId} AND a.id >= ${firstIdAt(since)} AND a.actor_id = ${userId}
    AND a.action = ${action} AND a.meta ->> '$.reason' IS NULL`;

/** Undoes invitations, memberships and roles. The first three members of the result list what was undone. */
export function undoTenantChanges({ userId, since, origin, isLive }: Suspicion, nowMs: number) {
  const actor = holderOfToken(sql`${userId}`, origin);
  const open = sql`invitations i WHERE i.id IN (SELECT a.target_id FROM ${acts(userId, since, "member.invited")})
    AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${nowMs} AND ${isLive}`;
  const leaving = sql`memberships m WHERE ${isLive} AND m.user_id <> ${userId}
    AND (m.tenant_id, m.user_id) IN (${guests(userId, since)})
    AND (m.role <> 'owner' OR EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = m.tenant_id AND o.role = 'owner'
      AND (o.tenant_id, o.user_id) NOT IN (${guests(userId, since)})))`;
  const left = sql`(tenant_id, user_id) IN (SELECT m.tenant_id, m.user_id FROM ${leaving})`;
  return {
    revokedInvitations: listed(sql`i.tenant_id`, sql`i.email`, sql`i.role`, open),
    removedGuests: listed(sql`m.tenant_id`, sql`(SELECT email FROM users WHERE id = m.user_id)`, sql`m.role`, leaving),
    revocations: auditEach(
      {
        tenantId: sql`i.tenant_id`,
        action: "member.invitation_revoked",
        actor,
        target: { kind: "invitation", id: sql`i.id` },
        meta: { reason: "not-me" },
      },
      open,
      nowMs,
    ),
    invitations: sql`UPDATE invitations SET revoked_at = ${nowMs} WHERE id IN (SELECT i.id FROM ${open})`,
    removals: auditEach(
      {
        tenantId: sql`m.tenant_id`,
        action: "member.removed",
        actor,
        target: { kind: "user", id: sql`m.user_id` },
        meta: { reason: "not-me" },
      },
      leaving,
      nowMs,
    ),
    guestSessions: endSessionsOfMembers(left, nowMs),
    guestKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE revoked_at IS NULL AND ${left}`,
    // Last of the guests' rows: the statements above ask who leaves.
    guests: sql`DELETE FROM memberships WHERE (tenant_id, user_id) IN (SELECT m.tenant_id, m.user_id FROM ${leaving})`,
    ...undoRoles({ userId, since, origin, isLive }, nowMs),
  };
}

/** Who joined by invitations of the user, and by those of these people in the same tenant. */
export const guests = (userId: string, since: number) => sql`WITH RECURSIVE guests(tenant_id, user_id) AS (
    SELECT i.tenant_id, i.accepted_by FROM invitations i
      WHERE i.id IN (SELECT a.target_id FROM ${acts(userId, since, "member.invited")}) AND i.accepted_by IS NOT NULL
    UNION SELECT i.tenant_id, i.accepted_by FROM guests g
      JOIN audit_events a ON coalesce(a.actor_id, a.target_id) = g.user_id AND a.id >= ${firstIdAt(since)}
        AND a.actor_id = g.user_id AND a.action = 'member.invited' AND a.tenant_id = g.tenant_id
      JOIN invitations i ON i.id = a.target_id WHERE i.accepted_by IS NOT NULL)
  SELECT tenant_id, user_id FROM guests`;

/** Changes of roles `a` since then, by the user or by those who joined by their invitations. */
const roleChanges = (userId: string, since: number) => sql`(SELECT NULL AS tenant_id, ${userId} AS user_id
    UNION SELECT tenant_id, user_id FROM (${guests(userId, since)})) p CROSS JOIN audit_events a
  WHERE coalesce(a.actor_id, a.target_id) = p.user_id AND a.id >= ${firstIdAt(since)} AND a.actor_id = p.user_id
    AND (p.tenant_id IS NULL OR a.tenant_id = p.tenant_id) AND a.action = 'member.role_changed'
    AND a.meta ->> '$.reason' IS NULL`;

/**
 * Gives members the roles back that the user, or a guest of theirs, has changed since then, unless somebody else has
 * changed them again. Owners come back before others are demoted, so that a tenant keeps one.
 */
function undoRoles({ userId, since, origin, isLive }: Suspicion, nowMs: number) {
  const changed = sql`(SELECT a.tenant_id, a.target_id AS user_id, a.meta ->> '$.from' AS former, min(a.id) AS first_id
    FROM ${roleChanges(userId, since)} GROUP BY a.tenant_id, a.target_id) c`;
  const latest = sql`(SELECT a.meta ->> '$.to' FROM ${roleChanges(userId, since)}
    AND a.tenant_id = c.tenant_id AND a.target_id = c.user_id ORDER BY a.id DESC LIMIT 1)`;
  const reverted = sql`memberships m JOIN ${changed} ON c.tenant_id = m.tenant_id AND c.user_id = m.user_id
    WHERE ${isLive} AND m.role = ${latest} AND m.role <> c.former
      AND (m.role <> 'owner' OR EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = m.tenant_id
        AND o.role = 'owner' AND o.user_id <> m.user_id))`;
  const giveBack = (condition: SQL) => sql`UPDATE memberships SET owner_since = NULL, role = (SELECT c.former
      FROM ${changed} WHERE c.tenant_id = memberships.tenant_id AND c.user_id = memberships.user_id)
    WHERE (tenant_id, user_id) IN (SELECT m.tenant_id, m.user_id FROM ${reverted} AND ${condition})`;
  return {
    revertedRoles: listed(
      sql`m.tenant_id`,
      sql`(SELECT email FROM users WHERE id = m.user_id)`,
      sql`c.former`,
      reverted,
    ),
    roleEvents: auditEach(
      {
        tenantId: sql`m.tenant_id`,
        action: "member.role_changed",
        actor: holderOfToken(sql`${userId}`, origin),
        target: { kind: "user", id: sql`m.user_id` },
        meta: sql`json_object('from', m.role, 'to', c.former, 'reason', 'not-me')`,
      },
      reverted,
      nowMs,
    ),
    revokedRoles: revokeMembers(sql`(tenant_id, user_id) IN (SELECT m.tenant_id, m.user_id FROM ${reverted})`, nowMs),
    restoredOwners: giveBack(sql`c.former = 'owner'`),
    restoredRoles: giveBack(sql`c.former <> 'owner'`),
  };
}

const listed = (tenantId: SQL, email: SQL, role: SQL, from: SQL): Rows<ChangedAccess> =>
  rows(sql`SELECT ${tenantId} AS tenantId, (SELECT name FROM tenants WHERE id = ${tenantId}) AS tenantName,
    ${email} AS email, ${role} AS role FROM ${from}`);
