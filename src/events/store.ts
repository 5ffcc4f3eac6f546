/** Events and their fan-out in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { sqlIdAtTimeOf } from "../db/ids";
import { QUEUE_GRACE_MS } from "../delivery/timing";
import type { Deps } from "../deps";

const IDEMPOTENCY_WINDOW_MS = 24 * 3_600_000;

export interface NewEvent {
  id: string;
  type: string;
  payloadJson: string;
  correlationId: string | null;
  idempotencyKey: string | null;
  requestHash: string | null;
}

export interface QueuedDelivery {
  id: string;
  /** 1 when its subscription timed out lately. */
  slow: 0 | 1;
}

interface StoredEvent {
  id: string;
  type: string;
  requestHash: string | null;
  deliveries: number;
}

/** How many deliveries one statement makes; the rest of a wider fan-out follows through the queue. */
const FAN_OUT_PAGE = 500;

/** The subscriptions that want a type, enabled or not, in the order of the fan-out index. */
const wantedBy = (tenantId: SQL | string, type: SQL | string, after = "") => sql`
  SELECT subscription_id FROM subscription_events WHERE tenant_id = ${tenantId} AND event_type = ${type} AND subscription_id > ${after}
  UNION SELECT subscription_id FROM subscription_events WHERE tenant_id = ${tenantId} AND event_type = '*' AND subscription_id > ${after}`;

/** One page of those that want a stored event, behind `after`. */
const pageOf = (eventId: string, after: string) => {
  const ofEvent = (column: "tenant_id" | "type") => sql`(SELECT ${sql.raw(column)} FROM events WHERE id = ${eventId})`;
  return sql`${wantedBy(ofEvent("tenant_id"), ofEvent("type"), after)} ORDER BY 1 LIMIT ${FAN_OUT_PAGE}`;
};

/** What may get the event of those that want it. CROSS JOIN keeps SQLite from reading all subscriptions of the tenant. */
const mayGet = (candidates: SQL, eventId: string) => sql`
  FROM (${candidates}) w CROSS JOIN events e CROSS JOIN subscriptions s ON s.id = w.subscription_id
  WHERE e.id = ${eventId} AND s.tenant_id = e.tenant_id AND s.enabled = 1 AND s.is_deleted = 0 AND s.created_at <= e.created_at`;

const insertPage = (eventId: string, page: SQL, nowMs: number) => sql`
  INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
  SELECT ${sqlIdAtTimeOf(eventId)}, s.tenant_id, s.id, ${eventId}, 'event', ${nowMs}, ${nowMs + QUEUE_GRACE_MS}, ${nowMs} ${mayGet(page, eventId)}
  RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`;

/** Where a fan-out goes on: the last subscription of a full page, null behind the last page. */
const endOf = (page: SQL) =>
  sql`(SELECT CASE WHEN count(*) = ${FAN_OUT_PAGE} THEN max(subscription_id) END FROM (${page}))`;

/** What the event's row tells when it has its first page of deliveries. A page that is not full holds all of them. */
const progress = (event: NewEvent, page: SQL, wanted: SQL) => sql`
  UPDATE events SET (fan_out_after, delivery_count) = (
      SELECT after, CASE WHEN after IS NULL THEN made ELSE (SELECT count(*) ${mayGet(wanted, event.id)}) END
      FROM (SELECT ${endOf(page)} AS after, changes() AS made))
    WHERE id = ${event.id}
    RETURNING id, type, request_hash AS requestHash, delivery_count AS deliveries, fan_out_after AS fanOutAfter`;

/**
 * Writes the event and one delivery for each enabled subscription that wants its type, in one round trip: of a wide
 * fan-out the first page, and the promise of the rest. With an idempotency key used within 24 hours it writes nothing
 * and returns the event of then.
 */
export async function insertEvent(
  { db }: Deps,
  tenantId: string,
  event: NewEvent,
  nowMs: number,
): Promise<{ event: StoredEvent; deliveries: QueuedDelivery[]; fanOutAfter: string | null }> {
  const { id, type, idempotencyKey: key } = event;
  const page = pageOf(id, "");
  const freeKey = sql`UPDATE events SET idempotency_key = NULL
    WHERE tenant_id = ${tenantId} AND idempotency_key = ${key} AND created_at <= ${nowMs - IDEMPOTENCY_WINDOW_MS}`;
  const eventOfKey = sql`SELECT id, type, request_hash AS requestHash, delivery_count AS deliveries, NULL AS fanOutAfter
    FROM events WHERE tenant_id = ${tenantId} AND idempotency_key = ${key}`;
  const [, deliveries, made, earlier] = (
    await atomically(db, [
      ...(key === null ? [] : [freeKey]),
      sql`INSERT INTO events (id, tenant_id, type, payload, correlation_id, idempotency_key, request_hash, created_at)
        VALUES (${id}, ${tenantId}, ${type}, ${event.payloadJson}, ${event.correlationId}, ${key}, ${event.requestHash}, ${nowMs})
        ON CONFLICT DO NOTHING`,
      insertPage(id, page, nowMs),
      progress(event, page, wantedBy(tenantId, type)),
      ...(key === null ? [] : [eventOfKey]),
    ])
  ).slice(key === null ? 0 : 1);
  const row = (made?.[0] ?? earlier?.[0] ?? null) as (StoredEvent & { fanOutAfter: string | null }) | null;
  if (!row) throw new Error("event was not stored");
  return { event: row, deliveries: deliveries as QueuedDelivery[], fanOutAfter: row.fanOutAfter };
}

/** How far an event's fan-out has come. */
export interface FanOut {
  eventId: string;
  fanOutAfter: string;
}

/** The next page of a fan-out, if it still stands where `fanOut` says. The event's row names the tenant. */
export async function fanOutPage(
  { db }: Deps,
  { eventId, fanOutAfter }: FanOut,
  nowMs: number,
): Promise<{ deliveries: QueuedDelivery[]; next: string | null }> {
  const page = sql`SELECT * FROM (${pageOf(eventId, fanOutAfter)})
    WHERE EXISTS (SELECT 1 FROM events WHERE id = ${eventId} AND fan_out_after = ${fanOutAfter})`;
  const [deliveries, progress] = await atomically(db, [
    insertPage(eventId, page, nowMs),
    sql`UPDATE events SET fan_out_after = ${endOf(page)} WHERE id = ${eventId} AND fan_out_after = ${fanOutAfter}
      RETURNING fan_out_after AS next`,
  ]);
  const [moved] = progress as { next: string | null }[];
  return { deliveries: deliveries as QueuedDelivery[], next: moved?.next ?? null };
}

/** Fan-outs of any tenant that began before `startedBefore` (Unix ms) and are not done: for the sweep. */
export async function findUnfinishedFanOuts({ db }: Deps, startedBefore: number, limit: number): Promise<FanOut[]> {
  const [rows] = await atomically(db, [
    sql`SELECT id AS eventId, fan_out_after AS fanOutAfter FROM events
      WHERE fan_out_after IS NOT NULL AND created_at <= ${startedBefore} ORDER BY created_at LIMIT ${limit}`,
  ]);
  return rows as FanOut[];
}
