/**
 * Claiming deliveries in D1. An outbox row names the id of its next attempt, and inserting a `pending` attempt with
 * that id is the claim: only one consumer can insert it, and the outbox row is not written. In a late claim, the
 * attempt gets a new id, so that ids stay in the order of time. A placeholder row with the status `moved` then takes
 * the planned id and points to the attempt. Spans tenants, like a batch of the queue; each row names its own tenant.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { firstIdAt, newIdAt } from "../../platform/db/ids";
import { fromStored } from "../../platform/db/stored-text";
import type { OutboxKey } from "../../platform/messages";
import { PAYLOAD } from "../events/payload-store";
import { isHeldBack, isSlowAt } from "../lanes/predicates-store";
import { replayIdOf } from "../resend/replays/replay-id-store";
import { LIMITS_TEXT } from "../throttling/throttled-store";
import type { QueueSpeed } from "./enqueue";
import { insertAttempts, insertPlaceholders, outboxByKeys, PLANNED_ID } from "./outbox-store";
import { parseTarget, type Target, type TargetRow, targetColumns } from "./target-store";
import { LATE_AFTER_MS } from "./timing";

type DeliveryKind = "event" | "retry" | "test" | "replay";

interface ClaimedFields extends OutboxKey {
  attemptId: string;
  tenantId: string;
  eventId: string;
  kind: DeliveryKind;
  /** The replay that created the delivery; null for any other delivery. */
  replayId: string | null;
  /** The number of this attempt: 1, 2, 3. */
  attemptCount: number;
  /** Whether it has waited because of a limit. */
  hasWaited: 0 | 1;
  /** The limits of its subscription as the database writes them. */
  limitsText: string;
}

interface EventFields {
  eventType: string;
  eventCreatedAt: number;
  /** As it was published. */
  payload: string;
  correlationId: string | null;
  orderKey: string | null;
  /** The number of the event within its order key; null without one. */
  sequence: number | null;
}

/** A delivery that the caller has claimed: what to send, and where. */
export interface ClaimedDelivery extends ClaimedFields, EventFields, Target {}

/** The conditions of one claim, as SQL over the outbox row `o`, its subscription `s` and the key `j`. */
interface Conditions {
  due: SQL;
  isSlow: SQL;
  isHeld: SQL;
  /** Whether the attempt gets a new id. */
  isLate: SQL;
  claimable: SQL;
  /** The id of the attempt. */
  attemptId: SQL;
}

function conditionsOf(keys: readonly OutboxKey[], speed: QueueSpeed, nowMs: number): Conditions {
  const due = outboxByKeys(
    jsonList(keys.map(({ queue, dueAt, id }) => ({ q: queue, d: dueAt, i: id, f: newIdAt(nowMs) }))),
  );
  const isSlow = speed === "fast" ? isSlowAt(nowMs) : sql`0`;
  const isHeld = isHeldBack(nowMs);
  // A delivery that was called to a permit is claimed long before its planned time; that needs a new id too.
  const isLate = sql`(${PLANNED_ID} < ${firstIdAt(nowMs - LATE_AFTER_MS)}
    OR ${PLANNED_ID} >= ${firstIdAt(nowMs + LATE_AFTER_MS)})`;
  const claimable = sql`o.due_at <= ${nowMs} AND NOT ${isSlow} AND NOT ${isHeld}`;
  return { due, isSlow, isHeld, isLate, claimable, attemptId: sql`iif(${isLate}, j.value ->> 'f', ${PLANNED_ID})` };
}

/**
 * Claims those of `keys` that are due and unclaimed, and reads what sending needs, in one round trip. `claim` is the
 * caller's token: a call may be repeated with the same token. Due keys that are not claimed are returned. `slow`, in a
 * call for the fast queue: those of slow subscriptions. `held`: those whose subscription asked for a pause, or whose
 * tenant's sends an operator holds. Ends deliveries whose subscription was deleted or whose event retention has
 * removed.
 */
export async function claimDeliveries(
  db: Db,
  { speed, claim }: { speed: QueueSpeed; claim: string },
  keys: readonly OutboxKey[],
  nowMs: number,
): Promise<{ claimed: ClaimedDelivery[]; slow: OutboxKey[]; held: OutboxKey[] }> {
  const conditions = conditionsOf(keys, speed, nowMs);
  const { due, isSlow, isHeld } = conditions;
  const ours = sql`${due} CROSS JOIN attempts a ON a.subscription_id = o.subscription_id
    AND a.id IN (${PLANNED_ID}, j.value ->> 'f')`;
  const isOurs = sql`a.claim = ${claim} AND a.status = 'pending'`;
  const { claimed, events, notClaimed } = await repeatable(() =>
    atomically(db, {
      ...claimStatements(conditions, claim, nowMs),
      claimed: rows<ClaimedFields & TargetRow>(sql`SELECT o.queue, o.due_at AS dueAt, o.id,
          o.subscription_id AS subscriptionId, o.bytes, a.id AS attemptId, o.tenant_id AS tenantId,
          o.event_id AS eventId, o.kind, a.attempt_count AS attemptCount,
          coalesce(o.slot_at >= o.due_at, 0) AS hasWaited, ${LIMITS_TEXT} AS limitsText, ${targetColumns(nowMs)},
          ${replayIdOf(sql.raw("o.kind"), sql.raw("o.subscription_id"), sql.raw("o.id"))} AS replayId
        FROM ${ours} CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE ${isOurs}`),
      events: rows<
        EventFields & { id: string }
      >(sql`SELECT id, type AS eventType, created_at AS eventCreatedAt, ${PAYLOAD} AS payload,
          correlation_id AS correlationId, order_key AS orderKey, order_sequence AS sequence
        FROM events WHERE id IN (SELECT o.event_id FROM ${ours} WHERE ${isOurs})`),
      notClaimed: rows<OutboxKey & { isHeld: 0 | 1 }>(sql`SELECT o.queue, o.due_at AS dueAt, o.id,
          o.subscription_id AS subscriptionId, o.bytes, ${isHeld} AS isHeld
        FROM ${due} CROSS JOIN subscriptions s ON s.id = o.subscription_id
        WHERE o.due_at <= ${nowMs} AND (${isSlow} OR ${isHeld})`),
    }),
  );
  const eventById = new Map(
    await Promise.all(
      events.map(async ({ id, ...event }) => [id, { ...event, payload: await fromStored(event.payload) }] as const),
    ),
  );
  const keysOf = (held: 0 | 1): OutboxKey[] =>
    notClaimed.flatMap(({ isHeld: isOfHeld, ...key }) => (isOfHeld === held ? [key] : []));
  return {
    slow: keysOf(0),
    held: keysOf(1),
    claimed: claimed.flatMap((row) => {
      const event = eventById.get(row.eventId);
      return event ? [{ ...parseTarget(row), ...event }] : [];
    }),
  };
}

/** The statements of a claim that write, in their order. */
const claimStatements = ({ due, claimable, isLate, attemptId }: Conditions, claim: string, nowMs: number) => ({
  // Not while an attempt is in progress: if its consumer dies, the sweep needs the outbox row to find and end the
  // attempt.
  ended: sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT o.queue, o.due_at, o.id FROM ${due}
      LEFT JOIN subscriptions s ON s.id = o.subscription_id AND s.is_deleted = 0
      LEFT JOIN events e ON e.id = o.event_id
    WHERE (s.id IS NULL OR e.id IS NULL) AND NOT EXISTS (SELECT 1 FROM attempts a
      WHERE a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID}))`,
  // Before the claims: a late claim succeeds only if its own placeholder was inserted. The placeholder has the time of
  // its id.
  placeholders: insertPlaceholders(
    sql`j.value ->> 'f'`,
    sql`FROM ${due} CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE ${claimable} AND ${isLate}`,
  ),
  claims: sql`${insertAttempts(
    { id: attemptId, eventType: sql`e.type`, status: sql`'pending'`, attemptedAt: nowMs, claim },
    sql`FROM ${due} CROSS JOIN events e ON e.id = o.event_id CROSS JOIN subscriptions s ON s.id = o.subscription_id
    WHERE ${claimable} AND (NOT ${isLate} OR EXISTS (SELECT 1 FROM attempts m
      WHERE m.subscription_id = o.subscription_id AND m.id = ${PLANNED_ID} AND m.next_id = j.value ->> 'f'))`,
  )} ON CONFLICT DO NOTHING`,
});
