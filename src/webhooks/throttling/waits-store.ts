/** Ending the waits of deliveries because of the limits of their subscription. Such a row has `slot_at` >= `due_at`. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { OutboxKey } from "../../platform/messages";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { IS_UNCLAIMED } from "../delivery/outbox-store";

/**
 * Makes up to `limit` of the waiting deliveries due at once, those that would come back first. Returns their keys. With
 * `areCalled` they still count as deliveries that have waited.
 */
export async function endWaits(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  id: string,
  limit: number,
  nowMs: number,
  { areCalled = false }: { areCalled?: boolean } = {},
): Promise<OutboxKey[]> {
  const { ended } = await atomically(deps.shards.db(shard), {
    ended: rows<OutboxKey>(sql`UPDATE outbox SET due_at = ${nowMs}, slot_at = ${areCalled ? nowMs : null}
      WHERE (queue, due_at, id) IN (
        SELECT o.queue, o.due_at, o.id FROM outbox o
        WHERE o.subscription_id = ${id} AND o.slot_at IS NOT NULL AND o.slot_at >= o.due_at
          AND o.tenant_id = ${tenantId} AND o.due_at > ${areCalled ? nowMs : 0} AND ${IS_UNCLAIMED}
        ORDER BY o.slot_at LIMIT ${limit})
      RETURNING queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes`),
  });
  return ended;
}
