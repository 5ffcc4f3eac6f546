/**
 * Members of a tenant in D1. The rules about owners are conditions of the write, so parallel changes cannot break them.
 */
import { type SQL, sql } from "drizzle-orm";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { Role } from "../../base/schemas/roles";
import { auditEach, auditIfChanged, auditOfUser } from "../../tenancy/audit/record-store";
import { mayManageRole, NEW_OWNER_MS, newOwnerUntil, roleOf } from "../../tenancy/tenants/roles-store";
import { endSessionsOfMembers, revokeMembers } from "../tokens/revocations-store";
import type { EndedApiKey } from "./ended-keys";
import { endApiKeys } from "./ended-keys-store";
import type { MemberRow } from "./list-store";

/** Who changes whom, in which tenant. */
export interface MemberChange {
  tenantId: string;
  /** Null: the product, with a platform key. It may change every member but the last owner. */
  actorId: string | null;
  userId: string;
  actor: Actor;
  /** Another log in which the change is recorded, besides that of the tenant. */
  alsoIn?: string;
  /** Whether the actor's session is confirmed. Only then may it make or remove an owner. */
  isConfirmed: boolean;
  /** Whether it is a confined session, which may never do that and counts as unconfirmed. Missing: it is not. */
  isConfined?: boolean;
}

/** Whether a change was made, or why it was not. */
export type MemberChangeOutcome =
  | "changed"
  | "missing"
  | "forbidden"
  | "unconfirmed"
  | "confined"
  | "lastOwner"
  | { newOwnerUntil: number };

const countOwners = (tenantId: string) =>
  sql`(SELECT count(*) FROM memberships WHERE tenant_id = ${tenantId} AND role = 'owner')`;

/**
 * Holds if the actor may take away the member's role and give the new one, and an owner remains. `newRole` is null for
 * a removal.
 */
function allowed(change: MemberChange, newRole: Role | null, nowMs: number): SQL {
  const { tenantId, userId, isConfirmed } = change;
  const { actorRole, until } = powerOf(change, nowMs);
  return sql`EXISTS (SELECT 1 FROM memberships t WHERE t.tenant_id = ${tenantId} AND t.user_id = ${userId}
    AND ${mayManageRole(actorRole, sql`t.role`)} ${
      newRole === null
        ? sql``
        : sql`AND
      ${mayManageRole(actorRole, newRole)}`
    }
    AND (${Number(isConfirmed)} OR (t.role <> 'owner' AND ${newRole} IS NOT 'owner'))
    AND (t.role <> 'owner' OR ${newRole} IS 'owner' OR (${countOwners(tenantId)} > 1
      AND (${until} IS NULL OR t.owner_since + ${NEW_OWNER_MS} >= ${until}))))`;
}

/** The role of the actor, and until when (Unix ms) it has no power over older owners, as expressions. */
const powerOf = ({ tenantId, actorId }: MemberChange, nowMs: number) =>
  actorId === null
    ? { actorRole: sql`'owner'`, until: sql`NULL` }
    : { actorRole: roleOf(tenantId, actorId), until: newOwnerUntil(tenantId, actorId, nowMs) };

/** The logs in which a change is recorded, with what an event there also says. */
const logsOf = ({ tenantId, alsoIn }: MemberChange) => [
  { log: tenantId, meta: sql`NULL` },
  ...(alsoIn === undefined ? [] : [{ log: alsoIn, meta: sql`${tenantId}` }]),
];

const memberAndActor = (change: MemberChange, nowMs: number) => {
  const { tenantId, userId } = change;
  const { actorRole, until } = powerOf(change, nowMs);
  return rows<StoredMember>(sql`SELECT u.id AS userId, u.email AS email, u.name AS name, m.role AS role, m.created_at
    AS joinedAt,
      ${actorRole} AS actorRole, (SELECT count(*) FROM memberships o WHERE o.tenant_id = ${tenantId}
        AND o.role = 'owner') AS owners, ${until} AS newOwnerUntil
    FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}`);
};

type StoredMember = MemberRow & { actorRole: string | null; owners: number; newOwnerUntil: number | null };

function whyRefused(member: StoredMember | undefined, { isConfirmed, isConfined }: MemberChange): MemberChangeOutcome {
  if (!member) return "missing";
  if (member.actorRole !== "owner") return "forbidden";
  if (isConfined) return "confined";
  if (!isConfirmed) return "unconfirmed";
  return member.newOwnerUntil !== null && member.owners > 1 ? { newOwnerUntil: member.newOwnerUntil } : "lastOwner";
}

/** Gives a member another role if the actor may. Returns the member as it is afterwards. */
export async function updateRole(
  { db }: Deps,
  change: MemberChange,
  role: Role,
  nowMs: number,
): Promise<{ outcome: MemberChangeOutcome; member: MemberRow | undefined; formerRole: string | undefined }> {
  const { tenantId, userId, actor } = change;
  const { updated, found, before } = await atomically(db, {
    // First, to read the previous role.
    before: rows<{ role: string }>(sql`SELECT ${roleOf(tenantId, userId)} AS role`),
    recorded: logsOf(change).map(({ log, meta }) =>
      auditEach(
        {
          tenantId: log,
          action: "member.role_changed",
          actor,
          target: { kind: "user", id: userId },
          meta: sql`json_patch('{}', json_object('from', c.role, 'to', ${role}, 'tenantId', ${meta}))`,
        },
        sql`memberships c WHERE c.tenant_id = ${tenantId} AND c.user_id = ${userId} AND c.role <> ${role}
          AND ${allowed(change, role, nowMs)}`,
        nowMs,
      ),
    ),
    revoked: revokeMembers(
      sql`tenant_id = ${tenantId} AND user_id = ${userId} AND role <> ${role} AND ${allowed(change, role, nowMs)}`,
      nowMs,
    ),
    // Given by hand: no rule of the tenant's directory changes it any more.
    updated: sql`UPDATE memberships SET role = ${role}, role_by = 'hand',
        owner_since = iif(${role} = 'owner', iif(role = 'owner', owner_since, ${nowMs}), NULL)
      WHERE tenant_id = ${tenantId} AND user_id = ${userId}
      AND ${allowed(change, role, nowMs)} RETURNING user_id`,
    // After the update: it returns the new role.
    found: memberAndActor(change, nowMs),
  });
  const outcome = updated.length === 1 ? "changed" : whyRefused(found[0], change);
  return { outcome, member: found[0], formerRole: before[0]?.role };
}

/**
 * Notes that nobody has given a member's role by hand, if the actor may give and take it away. `unruled`: an owner, or
 * somebody who does not sign on.
 */
export async function giveUpRole(
  { db }: Deps,
  change: MemberChange,
  nowMs: number,
): Promise<{ outcome: "changed" | "missing" | "forbidden" | "unruled"; member: MemberRow | undefined }> {
  const { tenantId, userId } = change;
  const { actorRole } = powerOf(change, nowMs);
  const isRuled = sql`(EXISTS (SELECT 1 FROM connection_identities i JOIN connections c ON c.id = i.connection_id
      WHERE i.user_id = memberships.user_id AND c.tenant_id = memberships.tenant_id)
    OR EXISTS (SELECT 1 FROM directory_users d JOIN connections c ON c.id = d.connection_id
      WHERE d.user_id = memberships.user_id AND d.state = 'active' AND c.tenant_id = memberships.tenant_id))`;
  const may = mayManageRole(actorRole, sql`memberships.role`);
  const member = sql`memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId}`;
  const {
    may: allowed,
    updated,
    found,
  } = await atomically(db, {
    may: sql`SELECT 1 FROM ${member} AND ${may}`,
    updated: sql`UPDATE memberships SET role_by = 'directory' WHERE tenant_id = ${tenantId} AND user_id = ${userId}
      AND role <> 'owner' AND ${may} AND ${isRuled} RETURNING user_id`,
    found: memberAndActor(change, nowMs),
  });
  const [row] = found;
  if (!row) return { outcome: "missing", member: undefined };
  if (updated.length === 1) return { outcome: "changed", member: row };
  return { outcome: allowed.length === 0 ? "forbidden" : "unruled", member: row };
}

/**
 * Turns the mails about failing subscriptions of a tenant on or off for one of its members. Writes nothing if nothing
 * changes.
 */
export async function setSubscriptionNotices(
  { db }: Deps,
  { tenantId, userId }: { tenantId: string; userId: string },
  alerts: boolean,
): Promise<void> {
  await query(db)`UPDATE memberships SET alerts = ${Number(alerts)}
    WHERE tenant_id = ${tenantId} AND user_id = ${userId} AND alerts <> ${Number(alerts)}`;
}

/**
 * Notes in what the tenant's connections know of the member whether somebody has removed them: then signing on does not
 * let them in again. `theirs` is a condition on `memberships`. The time counts as that of their last sign-on.
 */
const markSubjects = (
  theirs: SQL,
  { tenantId, userId, removedAt }: { tenantId: string; userId: string; removedAt: number | null },
  nowMs: number,
): SQL => sql`UPDATE connection_identities SET removed_at = ${removedAt}, last_used_at = ${nowMs}
  WHERE user_id = ${userId} AND connection_id IN (SELECT c.id FROM connections c WHERE c.tenant_id = ${tenantId})
    AND EXISTS (SELECT 1 FROM memberships WHERE ${theirs})`;

/** The directory of the tenant does not let somebody in again whom somebody here has removed. */
const holdRecords = (theirs: SQL, { tenantId, userId }: MemberChange, nowMs: number): SQL =>
  sql`UPDATE directory_users SET state = 'held', reason = 'removed', state_at = ${nowMs}, version = version + 1
    WHERE user_id = ${userId} AND state = 'active'
      AND connection_id IN (SELECT c.id FROM connections c WHERE c.tenant_id = ${tenantId})
      AND EXISTS (SELECT 1 FROM memberships WHERE ${theirs})`;

/**
 * Ends a member's own membership, with their sessions and API keys in this tenant, unless they are the tenant's last
 * owner. The session of an owner must be confirmed.
 */
export async function deleteOwnMembership(
  { db }: Deps,
  { tenantId, userId, actor, isConfirmed, isConfined }: MemberChange,
  nowMs: number,
): Promise<{ outcome: "changed" | "missing" | "unconfirmed" | "confined" | "lastOwner"; endedKeys: EndedApiKey[] }> {
  const mine = sql`tenant_id = ${tenantId} AND user_id = ${userId}`;
  const mayLeave = sql`${mine} AND EXISTS (SELECT 1 FROM memberships t WHERE t.tenant_id = ${tenantId}
    AND t.user_id = ${userId}
    AND (t.role <> 'owner' OR (${Number(isConfirmed)} AND ${countOwners(tenantId)} > 1)))`;
  const { found, deleted, apiKeys } = await atomically(db, {
    found: sql`SELECT 1 FROM memberships WHERE ${mine}`,
    sessions: endSessionsOfMembers(mayLeave, nowMs),
    ...endApiKeys(mayLeave, { actor, reason: "member-left" }, nowMs),
    leftSubjects: markSubjects(mayLeave, { tenantId, userId, removedAt: null }, nowMs),
    // Last of the changes: the statements above ask whether the membership may end.
    deleted: sql`DELETE FROM memberships WHERE ${mayLeave} RETURNING user_id`,
    recorded: auditOfUser("member.left", { tenantId, userId, actor }),
  });
  if (deleted.length === 1) return { outcome: "changed", endedKeys: apiKeys };
  const refusal = isConfirmed ? "lastOwner" : isConfined ? "confined" : "unconfirmed";
  return { outcome: found.length === 0 ? "missing" : refusal, endedKeys: [] };
}

/**
 * Removes a member with their sessions and API keys in this tenant, if the actor may. Returns the member as they were,
 * too.
 */
export async function deleteMember(
  { db, config }: Deps,
  change: MemberChange,
  nowMs: number,
): Promise<{ outcome: MemberChangeOutcome; member: MemberRow | undefined; endedKeys: EndedApiKey[] }> {
  const { tenantId, userId, actor } = change;
  const theirs = sql`tenant_id = ${tenantId} AND user_id = ${userId} AND ${allowed(change, null, nowMs)}`;
  const { found, deleted, apiKeys } = await atomically(db, {
    found: memberAndActor(change, nowMs),
    sessions: endSessionsOfMembers(theirs, nowMs),
    ...endApiKeys(theirs, { actor, reason: "member-removed" }, nowMs),
    removedSubjects: markSubjects(theirs, { tenantId, userId, removedAt: nowMs }, nowMs),
    heldRecords: hasSignOn(config) ? holdRecords(theirs, change, nowMs) : undefined,
    // Last of the changes: the statements above ask whether the membership may be removed.
    deleted: sql`DELETE FROM memberships WHERE ${theirs} RETURNING user_id`,
    recorded: logsOf(change).map(({ log, meta }) =>
      auditIfChanged({
        tenantId: log,
        action: "member.removed",
        actor,
        target: { kind: "user", id: userId },
        ...(log === tenantId ? {} : { meta: sql`json_object('tenantId', ${meta})` }),
      }),
    ),
  });
  const outcome = deleted.length === 1 ? "changed" : whyRefused(found[0], change);
  return { outcome, member: found[0], endedKeys: apiKeys };
}
