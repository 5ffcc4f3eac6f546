/** The pages of a fan-out in D1, except the first page of a published event, which is written with the event. */

import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { atomically, type Db, query, rows } from "../../base/db/client";
import { deliveryIdOf } from "../../base/db/ids";
import type { FanOut, OutboxKey } from "../../base/messages";
import { insertDeliveries, KEY_COLUMNS_OF_O, MAIN } from "./outbox-store";
import { aboutOf, entriesFor } from "./patterns-store";
import { isFilteredFrom, PAYLOAD_BYTES } from "./payload-store";
import { NEXT_QUEUE, RECEIVES_EVENTS } from "./predicates-store";

/** The most deliveries that one round trip creates. A wider fan-out continues through the queue. */
export const FAN_OUT_PAGE = 500;
/**
 * An event with more deliveries is wide: none are created with it, but pages of them as there are places for them. So
 * they never stand before those of others in the fast queue.
 */
export const MOST_AT_ONCE = 100;

/** Inserts a delivery of each event `e` (id, bytes) to each subscription `s` of `from` (SQL, from the word FROM on). */
export const insertFanOut = (nowMs: number | Placeholder, from: SQL): SQL =>
  insertDeliveries(
    {
      queue: NEXT_QUEUE,
      dueAt: sql`${nowMs}`,
      id: deliveryIdOf(sql`e.id`, sql`s.id`),
      eventId: sql`e.id`,
      kind: sql.raw("'event'"),
      bytes: sql`e.bytes`,
    },
    from,
  );

/** True for an operational event, as SQL. */
const IS_OPERATIONAL = sql.raw("type GLOB 'postern.*'");

/**
 * Selects the enabled subscriptions that receive the event `e` and whose ids follow `after`, without those whose
 * filters excluded it. An operational event never goes to the subscription that it is about.
 */
const wantedBy = (
  eventId: string,
  after: string,
) => sql`SELECT w.subscription_id FROM (SELECT tenant_id, type, filtered,
    CASE WHEN ${IS_OPERATIONAL} THEN ${aboutOf(sql`payload`)} ELSE '' END AS about FROM events WHERE id = ${eventId}) e
  CROSS JOIN subscription_events w ON w.tenant_id = e.tenant_id
    AND w.event_type IN (${entriesFor(sql`e.type`, sql`e.tenant_id`)})
    AND w.subscription_id > ${after} AND w.subscription_id <> e.about
    AND NOT ${isFilteredFrom(sql`w.subscription_id`, sql`e.filtered`)}`;

/** A fan-out after a page; `fanOutAfter` is null if the page was its last. */
interface Moved {
  eventId: string;
  tenantId: string;
  fanOutAfter: string | null;
}

/**
 * Writes the next page of deliveries of each fan-out, unless another call has already done so, at most `most`
 * deliveries in all. Returns the deliveries to queue, and those fan-outs that go on. Takes the tenants from the events.
 */
export async function writeFanOutPages(
  db: Db,
  fanOuts: readonly FanOut[],
  most: number,
  nowMs: number,
): Promise<{ due: OutboxKey[]; next: FanOut[] }> {
  const size = Math.ceil(most / fanOuts.length);
  const pages = fanOuts.map((fanOut) => pageOf(fanOut, size, nowMs));
  const { due, moved } = await atomically(db, {
    outbox: pages.map(({ outbox }) => outbox),
    due: pages.map((page) => rows<OutboxKey & { eventId: string }>(page.due)),
    moved: pages.map((page) => rows<Moved>(page.moved)),
  });
  const movedIds = new Set(moved.map(({ eventId }) => eventId));
  return {
    due: due.filter(({ eventId }) => movedIds.has(eventId)),
    next: moved.flatMap(({ fanOutAfter, ...event }) => (fanOutAfter === null ? [] : [{ ...event, fanOutAfter }])),
  };
}

/** The statements of one page of one fan-out: they write the deliveries, read them, and move the fan-out on. */
function pageOf({ eventId, fanOutAfter }: FanOut, size: number, nowMs: number) {
  const page = sql`SELECT subscription_id FROM (${wantedBy(eventId, fanOutAfter)}) ORDER BY 1 LIMIT ${size}`;
  return {
    outbox: sql`${insertFanOut(
      nowMs,
      sql`FROM (SELECT id, ${PAYLOAD_BYTES} AS bytes, created_at FROM events WHERE id = ${eventId}
        AND fan_out_after = ${fanOutAfter}) e
      CROSS JOIN subscriptions s ON s.id IN (${page}) WHERE ${RECEIVES_EVENTS}
        AND s.is_deleted = 0
        AND s.created_at <= e.created_at`,
    )} ON CONFLICT DO NOTHING`,
    due: sql`SELECT o.event_id AS eventId, ${KEY_COLUMNS_OF_O}
      FROM (${page}) p CROSS JOIN outbox o ON o.queue = ${MAIN} AND o.due_at = ${nowMs}
        AND o.id = ${deliveryIdOf(eventId, sql`p.subscription_id`)}
      WHERE o.event_id = ${eventId}`,
    moved: sql`UPDATE events SET fan_out_after =
        (SELECT CASE WHEN count(*) = ${size} THEN max(subscription_id) END FROM (${page}))
      WHERE id = ${eventId} AND fan_out_after = ${fanOutAfter} RETURNING id AS eventId, fan_out_after AS fanOutAfter,
        tenant_id AS tenantId`,
  };
}

/**
 * Returns unfinished fan-outs that began at or before `startedBefore` (Unix ms), across the tenants of one database,
 * for the sweep.
 */
export async function readUnfinishedFanOuts(db: Db, startedBefore: number, limit: number): Promise<FanOut[]> {
  return query<FanOut>(db)`SELECT id AS eventId, fan_out_after AS fanOutAfter, tenant_id AS tenantId FROM events
    WHERE fan_out_after IS NOT NULL AND created_at <= ${startedBefore} ORDER BY created_at LIMIT ${limit}`;
}
