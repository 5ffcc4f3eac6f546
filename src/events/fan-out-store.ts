/** The pages of a wide fan-out in D1, except the first, which is written with the event. */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../db/client";
import { deliveryIdOf } from "../db/ids";
import type { DueDelivery } from "../delivery/enqueue";
import { FAN_OUT_PAGE, OUTBOX_COLUMNS, outboxValues, wantedBy } from "./accept-store";

/** An unfinished fan-out, and how far it has come. */
export interface FanOut {
  eventId: string;
  /** The last subscription that has its delivery. */
  fanOutAfter: string;
}

/**
 * Writes the next page of deliveries, unless another call has already done so. Returns the deliveries to queue. `next` is the
 * `fanOutAfter` of the following page; null when the fan-out is finished or another call has continued it. Takes the tenant from the event.
 */
export async function writeFanOutPage(
  db: Db,
  { eventId, fanOutAfter }: FanOut,
  nowMs: number,
): Promise<{ due: DueDelivery[]; next: string | null }> {
  const ofEvent = (column: "tenant_id" | "type") => sql`(SELECT ${sql.raw(column)} FROM events WHERE id = ${eventId})`;
  const page = sql`SELECT subscription_id FROM (${wantedBy(ofEvent("tenant_id"), ofEvent("type"), fanOutAfter)}) ORDER BY 1 LIMIT ${FAN_OUT_PAGE}`;
  const { due, moved } = await atomically(db, {
    outbox: sql`INSERT INTO outbox (${OUTBOX_COLUMNS}) SELECT ${outboxValues(nowMs)}
      FROM (SELECT id, octet_length(payload) AS bytes, created_at FROM events WHERE id = ${eventId} AND fan_out_after = ${fanOutAfter}) e
      CROSS JOIN subscriptions s ON s.id IN (${page}) WHERE s.enabled = 1 AND s.is_deleted = 0 AND s.created_at <= e.created_at
      ON CONFLICT DO NOTHING`,
    due: rows<DueDelivery>(sql`SELECT o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes, s.slow_until > ${nowMs} AS slow
      FROM (${page}) p CROSS JOIN outbox o ON o.queue = '' AND o.due_at = ${nowMs} AND o.id = ${deliveryIdOf(eventId, sql`p.subscription_id`)}
      CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE o.event_id = ${eventId}`),
    moved: rows<{ next: string | null }>(sql`UPDATE events SET fan_out_after =
        (SELECT CASE WHEN count(*) = ${FAN_OUT_PAGE} THEN max(subscription_id) END FROM (${page}))
      WHERE id = ${eventId} AND fan_out_after = ${fanOutAfter} RETURNING fan_out_after AS next`),
  });
  return { due: moved.length === 0 ? [] : due, next: moved[0]?.next ?? null };
}

/** Returns unfinished fan-outs that began at or before `startedBefore` (Unix ms), across the tenants of one database, for the sweep. */
export async function findUnfinishedFanOuts(db: Db, startedBefore: number, limit: number): Promise<FanOut[]> {
  const { found } = await atomically(db, {
    found: rows<FanOut>(sql`SELECT id AS eventId, fan_out_after AS fanOutAfter FROM events
      WHERE fan_out_after IS NOT NULL AND created_at <= ${startedBefore} ORDER BY created_at LIMIT ${limit}`),
  });
  return found;
}
