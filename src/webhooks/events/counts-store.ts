/**
 * What became of the events of a page, in numbers. Each delivery is found by its key and followed from its first
 * attempt to its newest one, as in `outcomes-store.ts`.
 */
import { sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import { deliveryIdOf } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { MAIN, MAX_TRAIL_ROWS, PLACEHOLDER } from "../plane/outbox-store";

/** The most subscriptions whose deliveries are counted. */
const COUNTED_SUBSCRIPTIONS = 200;

/** The deliveries of one event to subscriptions that still exist. */
export interface OutcomeCounts {
  eventId: string;
  delivered: number;
  failed: number;
  waiting: number;
}

/** Counts the deliveries of each event. An event without any is left out. */
export async function countOutcomes(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  eventIds: readonly string[],
): Promise<OutcomeCounts[]> {
  if (eventIds.length === 0) return [];
  const deliveryId = deliveryIdOf(sql`e.id`, sql`s.id`);
  const retried = (states: string) => sql`EXISTS (SELECT 1 FROM manual_retries m
    WHERE m.subscription_id = newest.subscription_id AND m.event_id = newest.event_id
      AND m.state IN (${sql.raw(states)}))`;
  return query<OutcomeCounts>(deps.shards.db(shard))`WITH RECURSIVE e AS MATERIALIZED (SELECT id, created_at FROM events
      WHERE id IN (SELECT value FROM json_each(${jsonList(eventIds)})) AND tenant_id = ${tenantId}),
    s AS MATERIALIZED (SELECT id FROM subscriptions WHERE tenant_id = ${tenantId} AND is_deleted = 0
      ORDER BY created_at LIMIT ${COUNTED_SUBSCRIPTIONS}),
    trail(event_id, subscription_id, status, next_id, position) AS (
      SELECT e.id, s.id, a.status, a.next_id, 1 FROM e CROSS JOIN s CROSS JOIN attempts a
        ON a.subscription_id = s.id AND a.id = ${deliveryId}
      UNION ALL SELECT trail.event_id, trail.subscription_id, a.status, a.next_id, position + 1 FROM trail
        CROSS JOIN attempts a ON a.subscription_id = trail.subscription_id AND a.id = trail.next_id
        WHERE trail.next_id IS NOT NULL AND position < ${MAX_TRAIL_ROWS}),
    newest AS MATERIALIZED (SELECT event_id, subscription_id, status, next_id, max(position) FROM trail
      GROUP BY event_id, subscription_id),
    ends AS (SELECT event_id, CASE WHEN status = 'success' OR ${retried("'success'")} THEN 'delivered'
        WHEN status = 'failed' AND next_id IS NULL AND NOT ${retried("'open'")} THEN 'failed'
        ELSE 'waiting' END AS state FROM newest WHERE status <> ${PLACEHOLDER} OR next_id IS NOT NULL
      UNION ALL SELECT e.id, 'waiting' FROM e CROSS JOIN s WHERE EXISTS (SELECT 1 FROM outbox o
          WHERE o.queue IN (${MAIN}, s.id) AND o.due_at = e.created_at AND o.id = ${deliveryId})
        AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = s.id AND a.id = ${deliveryId}))
    SELECT event_id AS eventId, sum(state = 'delivered') AS delivered, sum(state = 'failed') AS failed,
      sum(state = 'waiting') AS waiting FROM ends GROUP BY event_id`;
}
