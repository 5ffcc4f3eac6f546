/**
 * Deleting a tenant in D1. One batch decides and ends all access, so that only one of several parallel requests
 * succeeds.
 */
import { sql } from "drizzle-orm";
import { atomically } from "../../platform/db/client";
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import type { Actor } from "../../platform/schemas/actor";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { roleOf } from "../../tenancy/tenants/roles-store";
import { endTenants } from "./ending-store";

export interface TenantDeletion {
  tenantId: string;
  /** The user who deletes it. */
  userId: string;
  actor: Actor;
}

/**
 * Deletes the tenant and ends all memberships. Returns false unless the user is an owner and the tenant is not
 * suspended. The purge removes what it leaves behind.
 */
export async function deleteTenantOfOwner(
  { db }: Deps,
  { tenantId, userId, actor }: TenantDeletion,
  nowMs: number,
): Promise<boolean> {
  const purgeId = newId();
  const { ended } = await atomically(db, {
    purge: sql`INSERT INTO purges (id, kind, subject_id, shard, name, members, created_at, run_at)
      SELECT ${purgeId}, 'tenant', t.id, t.shard, t.name, (SELECT json_group_array(m.user_id) FROM memberships m
        WHERE m.tenant_id = t.id),
        ${nowMs}, ${nowMs} FROM tenants t WHERE t.id = ${tenantId} AND t.suspended_at IS NULL
          AND ${roleOf(tenantId, userId)} = 'owner'`,
    // In the user's own log, because the tenant's log is deleted with it.
    recorded: auditIfChanged({
      tenantId: userId,
      action: "tenant.deleted",
      actor,
      target: { kind: "user", id: userId },
    }),
    ...endTenants(sql`id = ${purgeId}`, nowMs),
  });
  return ended.length === 1;
}
