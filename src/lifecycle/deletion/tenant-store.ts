/**
 * Deleting a tenant in D1. One batch decides and ends all access, so that only one of several parallel requests
 * succeeds.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { NEW_OWNER_MS, newOwnerUntil, roleOf } from "../../tenancy/tenants/roles-store";
import { endTenants, OTHER_SHARD } from "./ending-store";
import { MEMBERS_ON_PAGE } from "./purge-store";

export interface TenantDeletion {
  tenantId: string;
  /** The user who deletes it. */
  userId: string;
  actor: Actor;
}

/**
 * Deletes a tenant with a platform key, and ends all memberships. Returns false for a suspended tenant. The purge
 * removes what it leaves behind.
 */
export async function deleteTenantOfProduct(
  { db }: Deps,
  tenantId: string,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const purgeId = newId();
  const { ended } = await atomically(db, {
    purge: insertPurge(purgeId, tenantId, sql`1`, nowMs),
    furtherMembers: insertFurtherMembers(purgeId),
    ...endTenants(sql`id = ${purgeId}`, actor, nowMs),
  });
  return ended.length === 1;
}

/** Begins the purge of a tenant that is not suspended, if `condition` holds. */
const insertPurge = (purgeId: string, tenantId: string, condition: SQL, nowMs: number): SQL =>
  sql`INSERT INTO purges (id, kind, subject_id, shard, former_shard, name, members, created_at, run_at)
    SELECT ${purgeId}, 'tenant', t.id, t.shard, ${OTHER_SHARD}, t.name, (SELECT json_group_array(m.user_id)
      FROM (SELECT user_id FROM memberships WHERE tenant_id = t.id ORDER BY user_id LIMIT ${MEMBERS_ON_PAGE}) m),
      ${nowMs}, ${nowMs}
    FROM tenants t WHERE t.id = ${tenantId} AND t.suspended_at IS NULL AND ${condition}`;

/** In the text: D1 binds numbers as real ones, with which SQLite does not divide as with whole ones. */
const WHOLE_PAGE = sql.raw(String(MEMBERS_ON_PAGE));

/** Stores whom the purge tells beyond the first page, if it has begun. Must come before the memberships end. */
const insertFurtherMembers = (purgeId: string): SQL =>
  sql`INSERT INTO purge_members (purge_id, position, members)
    SELECT ${purgeId}, n.page * ${MEMBERS_ON_PAGE}, json_group_array(n.user_id)
    FROM (SELECT m.user_id, (row_number() OVER (ORDER BY m.user_id) - 1) / ${WHOLE_PAGE} AS page
      FROM purges p CROSS JOIN memberships m ON m.tenant_id = p.subject_id WHERE p.id = ${purgeId}) n
    WHERE n.page > 0 GROUP BY n.page`;

/**
 * Deletes the tenant and ends all memberships. `refused`: the user is no owner, or the tenant is suspended.
 * `newOwnerUntil`: until then (Unix ms), an older owner may not be driven out. The purge removes what it leaves behind.
 */
export async function deleteTenantOfOwner(
  { db }: Deps,
  { tenantId, userId, actor }: TenantDeletion,
  nowMs: number,
): Promise<"deleted" | "refused" | { newOwnerUntil: number }> {
  const purgeId = newId();
  const until = newOwnerUntil(tenantId, userId, nowMs);
  // Owners who are newer still are no reason to wait.
  const hasOlderOwner = sql`EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = ${tenantId} AND o.role = 'owner'
    AND o.user_id <> ${userId} AND (o.owner_since IS NULL OR o.owner_since + ${NEW_OWNER_MS} < ${until}))`;
  const { ended, waits } = await atomically(db, {
    waits: rows<{ until: number | null }>(sql`SELECT ${until} AS until WHERE ${hasOlderOwner}`),
    purge: insertPurge(
      purgeId,
      tenantId,
      sql`${roleOf(tenantId, userId)} = 'owner' AND NOT (${until} IS NOT NULL AND ${hasOlderOwner})`,
      nowMs,
    ),
    // In the user's own log, because the tenant's log is deleted with it.
    recorded: auditIfChanged({
      tenantId: userId,
      action: "tenant.deleted",
      actor,
      target: { kind: "user", id: userId },
    }),
    furtherMembers: insertFurtherMembers(purgeId),
    ...endTenants(sql`id = ${purgeId}`, actor, nowMs),
  });
  if (ended.length === 1) return "deleted";
  const newOwnerUntilMs = waits[0]?.until ?? null;
  return newOwnerUntilMs === null ? "refused" : { newOwnerUntil: newOwnerUntilMs };
}
