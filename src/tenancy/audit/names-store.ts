/** The current names of the targets of audit events. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";

/**
 * Returns names by id: the address of a member or an invitation, the name of a subscription or an API key. Deleted
 * targets are missing.
 */
export async function namesOfTargets(
  { db, shards }: Deps,
  { tenantId, shard }: TenantRef,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const list = sql`json_each(${jsonList([...new Set(ids)])}) j CROSS JOIN`;
  const [control, delivery] = await Promise.all([
    atomically(db, {
      named: rows<{ id: string; name: string }>(sql`
        SELECT u.id, u.email AS name FROM ${list} memberships m ON m.tenant_id = ${tenantId} AND m.user_id = j.value
          CROSS JOIN users u ON u.id = m.user_id
        UNION ALL SELECT k.id, k.name FROM ${list} api_keys k ON k.id = j.value AND k.tenant_id = ${tenantId}
        UNION ALL SELECT i.id, i.email FROM ${list} invitations i ON i.id = j.value AND i.tenant_id = ${tenantId}`),
    }),
    atomically(shards.db(shard), {
      named: rows<{ id: string; name: string }>(
        sql`SELECT s.id, s.name FROM ${list} subscriptions s ON s.id = j.value AND s.tenant_id = ${tenantId}`,
      ),
    }),
  ]);
  return new Map([...control.named, ...delivery.named].map(({ id, name }) => [id, name]));
}
