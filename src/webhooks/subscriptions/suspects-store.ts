/** The subscriptions that somebody has made or pointed elsewhere, found by the audit log of each delivery database. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../platform/db/client";
import { firstIdAt } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";

export interface SuspectSubscription {
  id: string;
  tenantId: string;
  name: string;
}

/**
 * The enabled subscriptions of any tenant in one database that these users or API keys have created, or given another
 * URL, since a time (Unix ms).
 */
export async function findSubscriptionsBy(
  { shards }: Deps,
  shard: number,
  actorIds: readonly string[],
  since: number,
): Promise<SuspectSubscription[]> {
  const { found } = await atomically(shards.db(shard), {
    found: rows<SuspectSubscription>(sql`SELECT DISTINCT s.id, s.tenant_id AS tenantId, s.name
      FROM json_each(${jsonList(actorIds)}) j CROSS JOIN audit_events a
        ON coalesce(a.actor_id, a.target_id) = j.value AND a.id >= ${firstIdAt(since)}
      JOIN subscriptions s ON s.id = a.target_id AND s.tenant_id = a.tenant_id
      WHERE a.actor_id = j.value AND s.is_deleted = 0 AND s.enabled = 1 AND (a.action = 'webhook.created'
        OR (a.action = 'webhook.updated'
          AND EXISTS (SELECT 1 FROM json_each(a.meta, '$.changed') f WHERE f.value = 'url')))`),
  });
  return found;
}
