/**
 * The waits of deliveries for starts and permits: ending them, and reporting those that are long.
 */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../../base/db/client";
import { repeatable } from "../../../base/db/faults";
import type { Deps } from "../../../base/deps";
import type { OutboxKey } from "../../../base/messages";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { isoSql, publishOperational } from "../../plane/operational-store";
import { IS_DUE_AT_SLOT, IS_UNCLAIMED, KEY_COLUMNS } from "../../plane/outbox-store";
import { type Limits, textOf } from "./limits";

/** The limits of the subscription `s` as the text that `textOf` makes, as SQL. */
export const LIMITS_TEXT = sql.raw(
  "json_array(s.options ->> '$.rateLimit.limit', s.options ->> '$.rateLimit.per', s.options ->> '$.maxConcurrent')",
);

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
        WHERE o.subscription_id = ${id} AND ${IS_DUE_AT_SLOT}
          AND o.tenant_id = ${tenantId} AND o.due_at > ${areCalled ? nowMs : 0} AND ${IS_UNCLAIMED}
        ORDER BY o.slot_at LIMIT ${limit})
      RETURNING ${KEY_COLUMNS}`),
  });
  return ended;
}

/**
 * Records `lastStartMs`, the last far start that a delivery waits for. If all earlier far starts have passed, it also
 * publishes that the subscription is throttled, and returns the id of that event if anybody wants it. Does nothing if
 * the limits have changed. Spans tenants, like a batch of the queue.
 */
export async function markThrottled(
  db: Db,
  { subscriptionId, limits, lastStartMs }: { subscriptionId: string; limits: Limits; lastStartMs: number },
  nowMs: number,
): Promise<{ id: string }[]> {
  const isSame = sql`s.id = ${subscriptionId} AND s.is_deleted = 0 AND ${LIMITS_TEXT} = ${textOf(limits)}`;
  const { published } = await repeatable(() =>
    atomically(db, {
      // Before `marked`, because it compares with the stored value.
      published: publishOperational(
        "postern.webhook.throttled",
        sql`subscriptions s WHERE ${isSame} AND s.throttled_until < ${nowMs}`,
        nowMs,
        { data: sql`'lastSlotAt', ${isoSql(lastStartMs)}` },
      ),
      marked: sql`UPDATE subscriptions AS s SET throttled_until = ${lastStartMs} WHERE ${isSame}
        AND s.throttled_until < ${lastStartMs}`,
    }),
  );
  return published;
}
