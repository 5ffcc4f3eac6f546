/**
 * Claiming deliveries in D1. An outbox row names the id of its next attempt, and inserting a `pending` attempt with
 * that id is the claim: only one consumer can insert it, and the outbox row is not written. In a late claim, the
 * attempt gets a new id, so that ids stay in the order of time. A placeholder row with the status `moved` then takes
 * the planned id and points to the attempt. Spans tenants, like a batch of the queue; each row names its own tenant.
 */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { firstIdAt, newIdAt } from "../../platform/db/ids";
import { outboxByKeys, PLANNED_ID } from "../../platform/db/outbox";
import { areSendsHeld, replayIdOf } from "../../platform/db/predicates";
import type { OutboxKey } from "../../platform/messages";
import type { StoredKey } from "../signing/keys";
import { keysFrom, parseKeys } from "../signing/store";
import type { DeliveryOptions } from "../subscriptions/delivery-options";
import { parseOptions } from "../subscriptions/store";
import {
  IS_LIMITED,
  LIMITED_COLUMNS,
  LIMITS_TEXT,
  type LimitedDelivery,
  type LimitedRow,
  limitedDelivery,
} from "../throttling/line-store";
import type { QueueSpeed } from "./enqueue";
import { LATE_AFTER_MS, MARKED_SLOW_FOR_MS } from "./timing";

type DeliveryKind = "event" | "retry" | "test" | "replay";

/** The fields of a subscription that can change between the claim and the send. */
export interface Target {
  url: string;
  secretSealed: string;
  enabled: 0 | 1;
  /** Deliveries of events that are due after this time are held (Unix ms); null if none is held. */
  releasedTo: number | null;
  isDeleted: 0 | 1;
  options: DeliveryOptions | null;
  headersSealed: string | null;
  /** The keys besides the current secret. */
  keys: StoredKey[];
}

/** A delivery that the caller has claimed: what to send, and where. */
export interface ClaimedDelivery extends OutboxKey, Target {
  attemptId: string;
  tenantId: string;
  eventId: string;
  kind: DeliveryKind;
  /** The replay that created the delivery; null for any other delivery. */
  replayId: string | null;
  /** The number of this attempt: 1, 2, 3. */
  attemptCount: number;
  eventType: string;
  eventCreatedAt: number;
  /** As it was published. */
  payload: string;
  correlationId: string | null;
}

/** A delivery to claim; `start` is the permission of its subscription's gate. */
export type ClaimKey = OutboxKey & { start?: { limitsText: string } | undefined };

type ClaimedRow = Omit<
  ClaimedDelivery,
  "payload" | "correlationId" | "eventType" | "eventCreatedAt" | "options" | "keys"
> & {
  options: string | null;
  keys: string | null;
};

interface EventRow {
  id: string;
  eventType: string;
  eventCreatedAt: number;
  payload: string;
  correlationId: string | null;
}

/** The columns of an attempt that a claim writes. */
export const ATTEMPT_COLUMNS = sql.raw(
  "subscription_id, id, delivery_id, event_id, event_type, kind, status, attempt_count, attempted_at",
);

/**
 * Claims those of `keys` that are due and unclaimed, and reads what sending needs, in one round trip. `claim` is the
 * caller's token: a call may be repeated with the same token. Due keys that are not claimed are returned. `slow`, in a
 * call for the fast queue: those of slow subscriptions. `held`: those whose subscription asked for a pause, or whose
 * tenant's sends an operator holds. `limited`: those without permission from their subscription's gate under its
 * present limits. Ends deliveries whose subscription was deleted or whose event retention has removed.
 */
export async function claimDeliveries(
  db: Db,
  { speed, claim }: { speed: QueueSpeed; claim: string },
  keys: readonly ClaimKey[],
  nowMs: number,
): Promise<{ claimed: ClaimedDelivery[]; slow: OutboxKey[]; held: OutboxKey[]; limited: LimitedDelivery[] }> {
  const wanted = jsonList(
    keys.map(({ queue, dueAt, id, start }) => ({ q: queue, d: dueAt, i: id, f: newIdAt(nowMs), l: start?.limitsText })),
  );
  const due = outboxByKeys(wanted);
  const isSlow = speed === "fast" ? sql`s.slow_until > ${nowMs}` : sql`0`;
  // After a hold, deliveries outside the backlog wait until the backlog is empty. Manual retries do not wait for what a
  // pause holds.
  const waitsForBacklog = sql`(o.queue = '' AND s.has_backlog = 1 AND (o.kind <> 'retry' OR s.released_to IS NULL))`;
  const isHeld = sql`((o.kind <> 'test' AND s.held_until > 0 AND (s.held_until > ${nowMs} OR ${waitsForBacklog}))
    OR (o.kind IN ('event', 'replay') AND s.released_to IS NOT NULL AND o.due_at > s.released_to)
    OR ${areSendsHeld(sql.raw("o.tenant_id"))})`;
  // A gate can call a delivery long before its planned time; such a claim needs a new id too.
  const isLate = sql`(${PLANNED_ID} < ${firstIdAt(nowMs - LATE_AFTER_MS)}
    OR ${PLANNED_ID} >= ${firstIdAt(nowMs + LATE_AFTER_MS)})`;
  const mayStart = sql`(${LIMITS_TEXT} IS j.value ->> 'l')`;
  const isWaiting = sql`(${IS_LIMITED} AND NOT ${mayStart})`;
  const isDue = sql`(o.due_at <= ${nowMs} OR ${IS_LIMITED} AND ${mayStart})`;
  const claimable = sql`${isDue} AND NOT ${isSlow} AND NOT ${isHeld} AND NOT ${isWaiting}`;
  const { claimed, events, notClaimed, limited } = await repeatable(() =>
    atomically(db, {
      // Not while an attempt is in progress: if its consumer dies, the sweep needs the outbox row to find and end the
      // attempt.
      ended: sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM ${due}
        LEFT JOIN subscriptions s ON s.id = o.subscription_id AND s.is_deleted = 0 LEFT
          JOIN events e ON e.id = o.event_id
        WHERE (s.id IS NULL OR e.id IS NULL) AND NOT EXISTS (SELECT 1 FROM attempts a
          WHERE a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID}))`,
      // Before the claims: a late claim succeeds only if its own placeholder was inserted. The placeholder has the time
      // of its id.
      placeholders: sql`INSERT INTO attempts (${ATTEMPT_COLUMNS}, next_id)
        SELECT o.subscription_id, ${PLANNED_ID}, o.id, o.event_id, '', o.kind, 'moved', o.attempts + 1, o.due_at,
          j.value ->> 'f'
        FROM ${due} CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE ${claimable} AND ${isLate}
        ON CONFLICT DO NOTHING`,
      claims: sql`INSERT INTO attempts (${ATTEMPT_COLUMNS}, claim)
        SELECT o.subscription_id, iif(${isLate}, j.value ->> 'f', ${PLANNED_ID}),
          nullif(o.id, iif(${isLate}, j.value ->> 'f', ${PLANNED_ID})), o.event_id, e.type, o.kind, 'pending',
            o.attempts + 1,
          ${nowMs}, ${claim}
        FROM ${due} CROSS JOIN events e ON e.id = o.event_id CROSS JOIN subscriptions s ON s.id = o.subscription_id
        WHERE ${claimable} AND (NOT ${isLate} OR EXISTS (SELECT 1 FROM attempts m
          WHERE m.subscription_id = o.subscription_id AND m.id = ${PLANNED_ID} AND m.next_id = j.value ->> 'f'))
        ON CONFLICT DO NOTHING`,
      claimed:
        rows<ClaimedRow>(sql`SELECT o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes,
          a.id AS attemptId, o.tenant_id AS tenantId, o.event_id AS eventId, o.kind, a.attempt_count AS attemptCount,
          ${replayIdOf(sql.raw("o.kind"), sql.raw("o.subscription_id"), sql.raw("o.id"))} AS replayId, s.url,
          s.secret_sealed AS secretSealed, s.enabled, s.released_to AS releasedTo, s.is_deleted AS isDeleted, s.options,
            s.headers_sealed AS headersSealed, ${keysFrom(nowMs)} AS keys
        FROM ${due} CROSS JOIN attempts a ON a.subscription_id = o.subscription_id
          AND a.id IN (${PLANNED_ID}, j.value ->> 'f')
          CROSS JOIN subscriptions s ON s.id = o.subscription_id
        WHERE a.claim = ${claim} AND a.status = 'pending'`),
      events: rows<EventRow>(sql`SELECT id, type AS eventType, created_at AS eventCreatedAt, payload, correlation_id
          AS correlationId FROM events WHERE id IN (
          SELECT o.event_id FROM ${due} CROSS JOIN attempts a
            ON a.subscription_id = o.subscription_id AND a.id IN (${PLANNED_ID}, j.value ->> 'f')
          WHERE a.claim = ${claim} AND a.status = 'pending')`),
      notClaimed: rows<OutboxKey & { isHeld: 0 | 1 }>(sql`SELECT o.queue, o.due_at AS dueAt, o.id,
          o.subscription_id AS subscriptionId, o.bytes, ${isHeld} AS isHeld
        FROM ${due} CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE ${isDue} AND (${isSlow}
          OR ${isHeld})`),
      limited: rows<LimitedRow>(sql`SELECT ${LIMITED_COLUMNS} FROM ${due} CROSS
          JOIN subscriptions s ON s.id = o.subscription_id
        WHERE s.is_deleted = 0 AND ${isWaiting} AND NOT ${isSlow} AND NOT ${isHeld}
          AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = o.subscription_id
            AND a.id = ${PLANNED_ID})`),
    }),
  );
  const eventById = new Map(events.map(({ id, ...event }) => [id, event]));
  const keysOf = (held: 0 | 1): OutboxKey[] =>
    notClaimed.flatMap(({ isHeld: isOfHeld, ...key }) => (isOfHeld === held ? [key] : []));
  return {
    slow: keysOf(0),
    held: keysOf(1),
    limited: limited.map(limitedDelivery),
    claimed: claimed.flatMap((row) => {
      const event = eventById.get(row.eventId);
      return event ? [{ ...row, ...event, options: parseOptions(row.options), keys: parseKeys(row.keys) }] : [];
    }),
  };
}

/**
 * Reads the subscriptions of claimed deliveries again, by id. Spans tenants. The result omits subscriptions whose rows
 * are gone.
 */
export async function readTargets(
  db: Db,
  subscriptionIds: readonly string[],
  nowMs: number,
): Promise<Map<string, Target>> {
  const { targets } = await atomically(db, {
    targets: rows<Omit<Target, "options" | "keys"> & { id: string; options: string | null; keys: string | null }>(
      sql`SELECT s.id, s.url, s.secret_sealed AS secretSealed, s.enabled, s.released_to AS releasedTo, s.is_deleted
        AS isDeleted, s.options, s.headers_sealed AS headersSealed, ${keysFrom(nowMs)} AS keys
        FROM subscriptions s WHERE s.id IN (SELECT value FROM json_each(${jsonList(subscriptionIds)}))`,
    ),
  });
  return new Map(
    targets.map(({ id, options, keys, ...target }) => [
      id,
      { ...target, options: parseOptions(options), keys: parseKeys(keys) },
    ]),
  );
}

/**
 * Releases claimed deliveries that were not sent: their attempts are deleted, so none is used up. With `dueAt` (Unix
 * ms), it also postpones them: each delivery plans a new attempt, and a placeholder with the old planned id points to
 * that attempt.
 */
export async function releaseDeliveries(
  db: Db,
  claim: string,
  deliveries: readonly Pick<ClaimedDelivery, "queue" | "dueAt" | "id" | "subscriptionId" | "attemptId">[],
  dueAt?: number,
): Promise<void> {
  const list = jsonList(
    deliveries.map(({ queue, dueAt: due, id, subscriptionId, attemptId }) => ({
      q: queue,
      d: due,
      i: id,
      s: subscriptionId,
      a: attemptId,
      n: dueAt === undefined ? null : newIdAt(dueAt),
    })),
  );
  const postponed =
    dueAt === undefined
      ? {}
      : {
          // Before `outbox`, which changes the planned ids.
          pointers: sql`INSERT INTO attempts (${ATTEMPT_COLUMNS}, next_id)
            SELECT o.subscription_id, ${PLANNED_ID}, o.id, o.event_id, '', o.kind, 'moved', o.attempts + 1, o.due_at,
              j.value ->> 'n'
            FROM ${outboxByKeys(list)} WHERE true ON CONFLICT DO NOTHING`,
          outbox: sql`UPDATE outbox SET due_at = ${dueAt}, attempt_id = t.next_id
            FROM (SELECT value ->> 'q' AS queue, value ->> 'd' AS due_at,
              value ->> 'i' AS id, value ->> 'n' AS next_id FROM json_each(${list})) t
            WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
        };
  await repeatable(() =>
    atomically(db, {
      attempts: sql`DELETE FROM attempts WHERE claim = ${claim} AND status = 'pending'
        AND (subscription_id, id) IN (SELECT value ->> 's', value ->> 'a' FROM json_each(${list}))`,
      placeholders: sql`DELETE FROM attempts WHERE status = 'moved' AND (subscription_id, id, next_id) IN (
        SELECT o.subscription_id, ${PLANNED_ID}, j.value ->> 'a' FROM ${outboxByKeys(list)})`,
      ...postponed,
    }),
  );
}

/**
 * Sends a subscription's deliveries through the slow queue for a while. Needs no tenant, because the caller has claimed
 * one of them.
 */
export async function markSlow(db: Db, subscriptionId: string, nowMs: number): Promise<void> {
  const untilMs = nowMs + MARKED_SLOW_FOR_MS;
  await atomically(db, {
    marked: sql`UPDATE subscriptions SET slow_until = ${untilMs} WHERE id = ${subscriptionId}
      AND slow_until < ${untilMs}`,
  });
}
