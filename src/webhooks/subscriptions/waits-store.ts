/** Ending the waits for slots of a subscription whose limits have changed. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { TenantRef } from "../../platform/schemas/tenant-ref";

/** The key of an outbox row, as messages carry it. */
interface Key {
  queue: string;
  dueAt: number;
  id: string;
  subscriptionId: string;
  bytes: number;
}

/** Makes up to `limit` of the deliveries that wait for slots due at once, earliest slot first. Returns their keys. */
export async function endWaits(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  id: string,
  limit: number,
  nowMs: number,
): Promise<Key[]> {
  const { ended } = await atomically(deps.shards.db(shard), {
    ended: rows<Key>(sql`UPDATE outbox SET due_at = ${nowMs}, slot_at = NULL WHERE (queue, due_at, id) IN (
        SELECT o.queue, o.due_at, o.id FROM outbox o
        WHERE o.subscription_id = ${id} AND o.slot_at IS NOT NULL AND o.slot_at >= o.due_at
          AND o.tenant_id = ${tenantId}
          AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = ${id}
            AND a.id = coalesce(o.attempt_id, o.id))
        ORDER BY o.slot_at LIMIT ${limit})
      RETURNING queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes`),
  });
  return ended;
}
