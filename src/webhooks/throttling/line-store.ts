/**
 * Deliveries of limited subscriptions that wait for their slots. Such an outbox row has `slot_at` at or after `due_at`.
 * Spans tenants, like a batch of the queue.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { newIdAt } from "../../platform/db/ids";
import { IS_UNCLAIMED, outboxByKeys, PLANNED_ID } from "../../platform/db/outbox";
import { areSendsHeld } from "../../platform/db/predicates";
import type { OutboxKey } from "../../platform/messages";
import { isoSql, publishOperational } from "../subscriptions/operational-store";
import { parseOptions } from "../subscriptions/store";
import type { Limits } from "./limits";

/** A delivery that may not start without the permission of its subscription's gate. */
export interface LimitedDelivery extends OutboxKey {
  isTest: boolean;
  /** The slot for which it has waited; null if it has not. */
  slotAtMs: number | null;
  limits: Limits;
  /** The limits as the database writes them. A claim compares them. */
  limitsText: string;
}

export type LimitedRow = OutboxKey & {
  kind: string;
  slotAt: number | null;
  options: string | null;
  limitsText: string;
};

/** The limits of the subscription `s` as a text, as SQL. */
export const LIMITS_TEXT = sql.raw(
  "json_array(s.options ->> '$.rateLimit.limit', s.options ->> '$.rateLimit.per', s.options ->> '$.maxConcurrent')",
);
/** Whether the subscription `s` has limits, as SQL. */
export const IS_LIMITED = sql.raw(
  "(s.options IS NOT NULL AND coalesce(s.options ->> '$.rateLimit.limit', s.options ->> '$.maxConcurrent') IS NOT " +
    "NULL)",
);
/** The columns of LimitedRow. */
export const LIMITED_COLUMNS = sql`o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes,
  o.kind,
  iif(o.slot_at >= o.due_at, o.slot_at, NULL) AS slotAt, s.options, ${LIMITS_TEXT} AS limitsText`;

export const limitedDelivery = ({ kind, slotAt, options, ...row }: LimitedRow): LimitedDelivery => {
  const { rateLimit, maxConcurrent } = parseOptions(options) ?? {};
  return { ...row, isTest: kind === "test", slotAtMs: slotAt, limits: { rateLimit, maxConcurrent } };
};

/** Reads those of `keys` whose deliveries are open and unclaimed and belong to limited subscriptions. */
export async function readLimited(db: Db, keys: readonly OutboxKey[]): Promise<LimitedDelivery[]> {
  return readFrom(db, outboxByKeys(jsonList(keys.map(({ queue, dueAt, id }) => ({ q: queue, d: dueAt, i: id })))));
}

/**
 * Returns the first `count` deliveries of a subscription that wait for a slot or a place; none while an operator holds
 * its sends.
 */
export async function readLine(db: Db, subscriptionId: string, count: number): Promise<LimitedDelivery[]> {
  return readFrom(
    db,
    sql`(SELECT * FROM outbox o WHERE subscription_id = ${subscriptionId} AND slot_at IS NOT NULL AND slot_at >= due_at
      AND ${IS_UNCLAIMED}
      ORDER BY slot_at LIMIT ${count}) o`,
  );
}

async function readFrom(db: Db, outbox: SQL): Promise<LimitedDelivery[]> {
  const { found } = await atomically(db, {
    found: rows<LimitedRow>(sql`SELECT ${LIMITED_COLUMNS} FROM ${outbox} CROSS
        JOIN subscriptions s ON s.id = o.subscription_id
      WHERE s.is_deleted = 0 AND ${IS_LIMITED} AND ${IS_UNCLAIMED} AND NOT ${areSendsHeld(sql.raw("o.tenant_id"))}`),
  });
  return found.map(limitedDelivery);
}

/** Until when a delivery waits. Times are Unix ms. */
export interface Deferral {
  key: OutboxKey;
  dueAt: number;
  slotAtMs: number | null;
}

const listOf = (deferrals: readonly Deferral[]) =>
  jsonList(
    deferrals.map(({ key: { queue, dueAt: before, id }, dueAt, slotAtMs }) => ({
      q: queue,
      d: before,
      i: id,
      to: dueAt,
      slot: slotAtMs,
      n: newIdAt(dueAt),
    })),
  );

/** Postpones deliveries that nobody has claimed while their gate cannot be reached. No attempt is used up. */
export async function postponeDeliveries(db: Db, deferrals: readonly Deferral[]): Promise<void> {
  await repeatable(() =>
    atomically(db, {
      outbox: sql`UPDATE outbox SET due_at = t.next_due_at, slot_at = t.next_slot_at FROM (
          SELECT o.queue AS queue, o.due_at AS due_at, o.id AS id, j.value ->> 'to' AS next_due_at, j.value ->> 'slot'
            AS next_slot_at
          FROM ${outboxByKeys(listOf(deferrals))} WHERE ${IS_UNCLAIMED}) t
        WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
    }),
  );
}

/**
 * Postpones deliveries to their slots, unless somebody has claimed them or the limits of their subscription are no
 * longer `limitsText`. Returns the ids of the postponed ones. No attempt is used up. Each plans a new attempt, and a
 * placeholder with the old planned id points to that attempt, so that ids stay in the order of time.
 */
export async function deferDeliveries(
  db: Db,
  deferrals: readonly Deferral[],
  limitsText: string,
): Promise<Set<string>> {
  const list = listOf(deferrals);
  const { deferred } = await repeatable(() =>
    atomically(db, {
      pointers: sql`INSERT INTO attempts (subscription_id, id, delivery_id, event_id, event_type, kind, status,
        attempt_count, attempted_at, next_id)
        SELECT o.subscription_id, ${PLANNED_ID}, o.id, o.event_id, '', o.kind, 'moved', o.attempts + 1, o.due_at,
          j.value ->> 'n'
        FROM ${outboxByKeys(list)} CROSS JOIN subscriptions s ON s.id = o.subscription_id
        WHERE ${LIMITS_TEXT} = ${limitsText} ON CONFLICT DO NOTHING`,
      outbox: sql`UPDATE outbox SET due_at = t.next_due_at, slot_at = t.slot_at, attempt_id = t.next_id FROM (
          SELECT o.queue AS queue, o.due_at AS due_at, o.id AS id, j.value ->> 'to' AS next_due_at, j.value ->> 'slot'
            AS slot_at, m.next_id AS next_id
          FROM ${outboxByKeys(list)} CROSS JOIN attempts m
            ON m.subscription_id = o.subscription_id AND m.id = ${PLANNED_ID} AND m.status = 'moved'
              AND m.next_id = j.value ->> 'n') t
        WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
      deferred: rows<{ id: string }>(sql`SELECT o.id FROM json_each(${list}) j CROSS JOIN outbox o
        ON o.queue = j.value ->> 'q' AND o.due_at = j.value ->> 'to' AND o.id = j.value ->> 'i'
          WHERE o.attempt_id = j.value ->> 'n'`),
    }),
  );
  return new Set(deferred.map(({ id }) => id));
}

/**
 * Records `lastSlotMs`, the last far slot that a subscription was given. If all earlier far slots have passed, it also
 * publishes that the subscription is throttled, and returns the id of that event if anybody wants it. Does nothing if
 * the limits have changed.
 */
export async function markThrottled(
  db: Db,
  { subscriptionId, limitsText, lastSlotMs }: { subscriptionId: string; limitsText: string; lastSlotMs: number },
  nowMs: number,
): Promise<{ id: string }[]> {
  const isSame = sql`s.id = ${subscriptionId} AND s.is_deleted = 0 AND ${LIMITS_TEXT} = ${limitsText}`;
  const { told } = await repeatable(() =>
    atomically(db, {
      // Before `marked`, because it compares with the stored value.
      told: publishOperational(
        "postern.webhook.throttled",
        sql`subscriptions s WHERE ${isSame} AND s.throttled_until < ${nowMs}`,
        nowMs,
        { data: sql`'lastSlotAt', ${isoSql(lastSlotMs)}` },
      ),
      marked: sql`UPDATE subscriptions AS s SET throttled_until = ${lastSlotMs} WHERE ${isSame}
        AND s.throttled_until < ${lastSlotMs}`,
    }),
  );
  return told;
}
