/** Accepting events in D1: up to 100 events and their deliveries, in one round trip that may be repeated. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../db/client";
import { repeatable } from "../db/faults";
import { deliveryIdOf } from "../db/ids";
import type { DueDelivery } from "../delivery/enqueue";
import { DAY_MS } from "../time";

const IDEMPOTENCY_WINDOW_MS = DAY_MS;
/** How many deliveries one round trip creates. A wider fan-out continues through the queue. */
export const FAN_OUT_PAGE = 500;
/** The most characters in one JSON list of payloads. D1 takes 2 MB a value, and a character has up to 3 bytes in UTF-8. */
const MAX_PAYLOAD_LIST_CHARACTERS = 600_000;

export interface NewEvent {
  id: string;
  type: string;
  /** The exact body. */
  payload: string;
  bytes: number;
  correlationId: string | null;
  idempotencyKey: string | null;
  /** SHA-256 of type, payload and correlation id; null without a key. */
  requestHash: string | null;
}

export interface AcceptedEvent {
  /** Null when nothing was written because the events need more deliveries than allowed. */
  id: string | null;
  type: string;
  deliveries: number;
  /** The hash of the event that was first published with this Idempotency-Key; null without a key. */
  requestHash: string | null;
  /** The last subscription that has its delivery if the fan-out continues through the queue; null when all deliveries exist. */
  fanOutAfter: string | null;
}

/** Selects the enabled subscriptions that receive an event type and whose ids follow `after`. The index contains no others. */
const wantedBy = (tenantId: SQL | string, type: SQL | string, after: SQL | string = "") => sql`
  SELECT subscription_id FROM subscription_events WHERE tenant_id = ${tenantId} AND event_type = ${type} AND subscription_id > ${after}
  UNION ALL SELECT subscription_id FROM subscription_events WHERE tenant_id = ${tenantId} AND event_type = '*' AND subscription_id > ${after}`;

/** The outbox columns that a fan-out writes. `outboxValues` has their values, from an event `e` (id, bytes) and a subscription `s`. */
export const OUTBOX_COLUMNS = sql.raw("queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes");
export const outboxValues = (
  nowMs: number,
) => sql`iif(s.has_backlog, s.id, ''), ${nowMs}, ${deliveryIdOf(sql`e.id`, sql`s.id`)},
  s.tenant_id, s.id, e.id, 'event', e.bytes`;

/**
 * Writes the events, and one outbox row for each enabled subscription that receives them. Writes nothing if an Idempotency-Key was used
 * with another event, or if the events need more than `allowedDeliveries`. An event that was published with the same key before is not
 * written again. Returns one row per event in the given order, the deliveries to queue, and how many deliveries the events need.
 */
export async function acceptEvents(
  db: Db,
  tenantId: string,
  events: readonly NewEvent[],
  allowedDeliveries: number,
  nowMs: number,
): Promise<{ accepted: AcceptedEvent[]; due: DueDelivery[]; wantedDeliveries: number }> {
  const list = jsonList(
    events.map(({ id, type, bytes, idempotencyKey: key, requestHash: hash }) => ({ id, type, bytes, key, hash })),
  );
  const listed = sql`(SELECT key AS position, value ->> 'id' AS id, value ->> 'type' AS type, value ->> 'bytes' AS bytes,
    value ->> 'key' AS idempotency_key, value ->> 'hash' AS hash FROM json_each(${list}))`;
  const hasKeys = events.some(({ idempotencyKey }) => idempotencyKey !== null);
  const keyOf = sql`idempotency_keys k ON k.tenant_id = ${tenantId} AND k.key = l.idempotency_key`;
  const noConflict = hasKeys
    ? sql`NOT EXISTS (SELECT 1 FROM ${listed} l CROSS JOIN ${keyOf}
        WHERE k.request_hash <> l.hash AND k.created_at > ${nowMs - IDEMPOTENCY_WINDOW_MS})`
    : sql`true`;
  const holdsItsKey = hasKeys
    ? sql`(e.idempotency_key IS NULL OR EXISTS (SELECT 1 FROM idempotency_keys k
        WHERE k.tenant_id = ${tenantId} AND k.key = e.idempotency_key AND k.event_id = e.id))`
    : sql`true`;
  // The answer has the exact number of deliveries, so each type's subscriptions are counted in the index, once for all of its events.
  const counts = sql`(SELECT t.type, t.events, (SELECT count(*) FROM (${wantedBy(tenantId, sql`t.type`)})) AS deliveries
    FROM (SELECT type, count(*) AS events FROM ${listed} GROUP BY type) t)`;
  const wantedOf = (source: SQL) => sql`(SELECT coalesce(sum(events * deliveries), 0) FROM ${source})`;
  const fits = sql`${wantedOf(counts)} <= ${allowedDeliveries}`;
  // An event that already exists was written by an earlier try of this call, and its deliveries may have ended since then.
  const isAbsent = sql`NOT EXISTS (SELECT 1 FROM events WHERE events.id = e.id)`;
  const isNew = sql`${holdsItsKey} AND ${noConflict} AND ${isAbsent}`;
  const pageRows = Math.max(1, Math.floor(FAN_OUT_PAGE / events.length));
  const page = sql`SELECT subscription_id FROM (${wantedBy(tenantId, sql`e.type`)}) ORDER BY 1 LIMIT ${pageRows}`;
  const lastOfPage = sql`(SELECT subscription_id FROM (${wantedBy(tenantId, sql`e.type`)}) ORDER BY 1 LIMIT 1 OFFSET ${pageRows - 1})`;
  const payloads = payloadLists(events).map(
    (part) => sql`
    WITH counts AS MATERIALIZED ${counts}
    INSERT INTO events (id, tenant_id, type, payload, correlation_id, delivery_count, fan_out_after, created_at)
    SELECT e.id, ${tenantId}, e.type, e.payload, e.correlation_id, counts.deliveries,
      iif(counts.deliveries > ${pageRows}, ${lastOfPage}, NULL), ${nowMs}
    FROM (SELECT value ->> 'id' AS id, value ->> 'type' AS type, value ->> 'key' AS idempotency_key, value ->> 'payload' AS payload,
      value ->> 'correlationId' AS correlation_id FROM json_each(${part})) e CROSS JOIN counts ON counts.type = e.type
    WHERE ${wantedOf(sql`counts`)} <= ${allowedDeliveries} AND ${isNew}`,
  );
  const {
    accepted,
    due,
    count: counted,
  } = await repeatable(() =>
    atomically(db, {
      keys: hasKeys
        ? sql`INSERT INTO idempotency_keys (tenant_id, key, event_id, request_hash, created_at)
            SELECT ${tenantId}, e.idempotency_key, e.id, e.hash, ${nowMs} FROM ${listed} e WHERE e.idempotency_key IS NOT NULL AND ${noConflict} AND ${fits}
            ON CONFLICT (tenant_id, key) DO UPDATE SET event_id = excluded.event_id, request_hash = excluded.request_hash,
              created_at = excluded.created_at WHERE idempotency_keys.created_at <= ${nowMs - IDEMPOTENCY_WINDOW_MS}`
        : undefined,
      // Before the events, because `isNew` is false once they exist. A delivery id that is already taken fails the whole call.
      outbox: sql`INSERT INTO outbox (${OUTBOX_COLUMNS}) SELECT ${outboxValues(nowMs)}
        FROM ${listed} e CROSS JOIN subscriptions s ON s.id IN (${page}) WHERE ${fits} AND ${isNew} AND (s.enabled = 1 OR s.released_to IS NOT NULL) AND s.is_deleted = 0`,
      ...Object.fromEntries(payloads.map((insert, part) => [`events${part}`, insert])),
      accepted: rows<AcceptedEvent>(
        hasKeys
          ? sql`SELECT e.id, e.type, e.delivery_count AS deliveries, k.request_hash AS requestHash, iif(e.id = l.id, e.fan_out_after, NULL) AS fanOutAfter
              FROM ${listed} l LEFT JOIN ${keyOf} LEFT JOIN events e ON e.id = coalesce(k.event_id, l.id) ORDER BY l.position`
          : sql`SELECT e.id, e.type, e.delivery_count AS deliveries, NULL AS requestHash, e.fan_out_after AS fanOutAfter
              FROM ${listed} l LEFT JOIN events e ON e.id = l.id ORDER BY l.position`,
      ),
      // Only needed when nothing was written.
      count: rows<{ deliveries: number }>(sql`SELECT CASE WHEN EXISTS (SELECT 1 FROM ${listed} e WHERE ${isAbsent})
        THEN ${wantedOf(counts)} ELSE 0 END AS deliveries`),
      due: rows<DueDelivery>(sql`SELECT o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes, s.slow_until > ${nowMs} AS slow
        FROM ${listed} e CROSS JOIN outbox o ON o.queue = '' AND o.due_at = ${nowMs}
          AND o.id > substr(e.id, 1, 23) || '-' AND o.id < substr(e.id, 1, 23) || '.' AND o.event_id = e.id
        CROSS JOIN subscriptions s ON s.id = o.subscription_id`),
    }),
  );
  return { accepted, due, wantedDeliveries: counted[0]?.deliveries ?? 0 };
}

/** Returns JSON lists of what the events' rows contain, each small enough for one D1 value. */
function payloadLists(events: readonly NewEvent[]): string[] {
  const lists: string[][] = [];
  let room = 0;
  for (const { id, type, idempotencyKey: key, payload, correlationId } of events) {
    const entry = JSON.stringify({ id, type, key, payload, correlationId });
    if (lists.length === 0 || entry.length > room) {
      lists.push([]);
      room = MAX_PAYLOAD_LIST_CHARACTERS;
    }
    lists.at(-1)?.push(entry);
    room -= entry.length;
  }
  return lists.map((entries) => `[${entries.join(",")}]`);
}
