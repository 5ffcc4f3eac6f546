/** What the sweep reads and writes in one delivery database, across its tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { PLANNED_ID } from "../../platform/db/outbox";
import { areSendsHeld } from "../../platform/db/predicates";
import { addToHours, answersWithin } from "../stats/hours-store";
import type { DueDelivery } from "./enqueue";
import { INTERRUPTED } from "./reasons";
import { HANGS_AFTER_MS } from "./timing";

/** An overdue outbox row, with the attempt that claimed it. */
export interface OverdueDelivery extends DueDelivery {
  tenantId: string;
  eventId: string;
  attempts: number;
  interruptions: number;
  /** Null when nobody has claimed it. */
  attemptId: string | null;
  attemptStatus: "pending" | "success" | "failed" | null;
  /** When a pending attempt was claimed, Unix ms. */
  claimedAt: number | null;
}

const OVERDUE_COLUMNS =
  sql.raw(`o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes, o.tenant_id AS tenantId,
  o.event_id AS eventId, o.attempts, o.interruptions, coalesce(b.id, a.id) AS attemptId, coalesce(b.status, a.status)
    AS attemptStatus,
  coalesce(b.attempted_at, a.attempted_at) AS claimedAt`);

/**
 * Joins the attempt with the planned id as `a`, and, if that is a placeholder, the attempt that it points to as `b`.
 */
const PLANNED_ATTEMPT = sql`LEFT JOIN attempts a ON a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID}
  LEFT JOIN attempts b ON a.status = 'moved' AND b.subscription_id = o.subscription_id AND b.id = a.next_id
  LEFT JOIN subscriptions s ON s.id = o.subscription_id`;

/**
 * Returns one page of the main outbox queue that was due at or before `dueBefore` (Unix ms), oldest first, after the
 * key `after`. A subscription counts as slow unless it has lately answered quickly. Its deliveries may not be lost but
 * only wait in the slow queue, and a wide event to slow subscriptions would otherwise fill the fast queue.
 */
export async function readOverdue(
  db: Db,
  { dueBefore, after, limit }: { dueBefore: number; after: { dueAt: number; id: string }; limit: number },
  nowMs: number,
): Promise<OverdueDelivery[]> {
  const { overdue } = await atomically(db, {
    overdue: rows<OverdueDelivery>(sql`SELECT ${OVERDUE_COLUMNS},
        coalesce(s.slow_until > ${nowMs}, 0) OR NOT ${answersWithin(sql`o.subscription_id`, HANGS_AFTER_MS)} AS slow
      FROM (SELECT * FROM outbox WHERE queue = '' AND (due_at, id) > (${after.dueAt}, ${after.id})
        AND due_at <= ${dueBefore}
        ORDER BY due_at, id LIMIT ${limit}) o ${PLANNED_ATTEMPT} ORDER BY o.due_at, o.id`),
  });
  return overdue;
}

/**
 * The `slot_at` of manual retries and tests in a backlog. By this mark an index finds them among many held deliveries.
 */
const MARK = sql.raw("0");

/**
 * Returns the oldest due deliveries of each backlog, or only of the backlog of `subscriptionId`. It returns as many as
 * the subscription may have in progress: fewer while it is slow, and one while it is probed. Held deliveries are left
 * out; those in progress are included. Manual retries and tests are included too, because no pause holds them.
 */
export async function readBacklogHeads(
  db: Db,
  {
    perSubscription,
    perSlowSubscription,
    subscriptionId,
  }: { perSubscription: number; perSlowSubscription: number; subscriptionId?: string },
  nowMs: number,
): Promise<OverdueDelivery[]> {
  const which = subscriptionId === undefined ? sql`true` : sql`id = ${subscriptionId}`;
  const headsOf = (
    isWanted: SQL,
    limit: number,
    candidates = sql`outbox WHERE queue = w.id AND due_at <= min(${nowMs}, w.released_to)`,
  ) => sql`SELECT ${OVERDUE_COLUMNS}, coalesce(s.slow_until > ${nowMs}, 0) AS slow
    FROM (SELECT id, coalesce(released_to, ${nowMs}) AS released_to FROM subscriptions
      WHERE has_backlog = 1 AND held_until <= ${nowMs} AND ${isWanted} AND ${which}
        AND NOT ${areSendsHeld(sql.raw("subscriptions.tenant_id"))}) w
    CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) IN (SELECT due_at, id FROM ${candidates}
      ORDER BY due_at, id LIMIT ${limit})
    ${PLANNED_ATTEMPT}`;
  const isProbed = sql`(enabled = 0 AND released_to IS NOT NULL)`;
  const marked = sql`outbox INDEXED BY outbox_in_line WHERE subscription_id = w.id AND slot_at = ${MARK}
    AND queue = w.id
    AND due_at <= ${nowMs} AND due_at > w.released_to`;
  const { slow, quick, probed, unpaused } = await atomically(db, {
    slow: rows<OverdueDelivery>(headsOf(sql`slow_until > ${nowMs} AND NOT ${isProbed}`, perSlowSubscription)),
    quick: rows<OverdueDelivery>(headsOf(sql`slow_until <= ${nowMs} AND NOT ${isProbed}`, perSubscription)),
    probed: rows<OverdueDelivery>(headsOf(isProbed, 1)),
    unpaused: rows<OverdueDelivery>(headsOf(sql`released_to IS NOT NULL`, perSlowSubscription, marked)),
  });
  return [...slow, ...quick, ...probed, ...unpaused];
}

/** An attempt whose consumer died, and the next attempt of its delivery. Times are Unix ms. */
export interface Interruption {
  queue: string;
  dueAt: number;
  deliveryId: string;
  subscriptionId: string;
  eventId: string;
  attemptId: string;
  nextDueAt: number;
  nextAttemptId: string;
}

/**
 * Ends attempts that a dead consumer left `pending`, and plans a new attempt for each delivery. An interrupted attempt
 * does not count. Returns the correlation ids of the events by event id.
 */
export async function interruptAttempts(
  db: Db,
  interruptions: readonly Interruption[],
  nowMs: number,
): Promise<Map<string, string | null>> {
  const list = jsonList(interruptions);
  const dead = sql`json_each(${list}) j CROSS JOIN attempts a
    ON a.subscription_id = j.value ->> 'subscriptionId' AND a.id = j.value ->> 'attemptId' AND a.status = 'pending'`;
  const { events } = await repeatable(() =>
    atomically(db, {
      stats: addToHours(
        sql`SELECT a.subscription_id, j.key AS position, 0 AS succeeded, NULL AS latency_ms, NULL AS failed_at
          FROM ${dead}`,
        nowMs,
      ),
      outbox: sql`UPDATE outbox SET due_at = t.next_due_at, attempt_id = t.next_attempt_id, interruptions =
        interruptions + 1 FROM (
          SELECT j.value ->> 'queue' AS queue, j.value ->> 'dueAt' AS due_at, j.value ->> 'deliveryId' AS id,
            j.value ->> 'nextDueAt' AS next_due_at, j.value ->> 'nextAttemptId' AS next_attempt_id FROM ${dead}) t
        WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
      // After the statements above, which recognise a dead attempt by the status `pending`.
      attempts: sql`UPDATE attempts SET status = 'failed', claim = NULL, error = ${INTERRUPTED}, completed_at =
        ${nowMs},
          next_id = t.next_attempt_id
        FROM (SELECT a.subscription_id AS subscription_id, a.id AS id, j.value ->> 'nextAttemptId' AS next_attempt_id
          FROM ${dead}) t
        WHERE attempts.subscription_id = t.subscription_id AND attempts.id = t.id`,
      events: rows<{
        id: string;
        correlationId: string | null;
      }>(sql`SELECT id, correlation_id AS correlationId FROM events
        WHERE id IN (SELECT value ->> 'eventId' FROM json_each(${list}))`),
    }),
  );
  return new Map(events.map(({ id, correlationId }) => [id, correlationId]));
}

/**
 * Repairs deliveries whose planned attempt has already ended: ends them if it succeeded, and plans a new attempt
 * otherwise.
 */
export async function replanDeliveries(
  db: Db,
  deliveries: readonly {
    queue: string;
    dueAt: number;
    deliveryId: string;
    succeeded: boolean;
    nextAttemptId: string;
  }[],
): Promise<void> {
  const list = jsonList(deliveries.map((delivery) => ({ ...delivery, succeeded: delivery.succeeded ? 1 : 0 })));
  const which = (
    succeeded: 0 | 1,
  ) => sql`SELECT value ->> 'queue' AS queue, value ->> 'dueAt' AS due_at, value ->> 'deliveryId' AS id,
    value ->> 'nextAttemptId' AS next_attempt_id FROM json_each(${list}) WHERE value ->> 'succeeded' = ${succeeded}`;
  await atomically(db, {
    ended: sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT queue, due_at, id FROM (${which(1)}))`,
    planned: sql`UPDATE outbox SET attempt_id = t.next_attempt_id FROM (${which(0)}) t
      WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
  });
}

/** Moves deliveries to the backlog of their subscription, except those in progress. */
export async function moveToBacklog(
  db: Db,
  subscriptionId: string,
  keys: readonly { dueAt: number; id: string }[],
): Promise<void> {
  await atomically(db, {
    flagged: sql`UPDATE subscriptions SET has_backlog = 1 WHERE id = ${subscriptionId} AND has_backlog = 0`,
    moved: sql`UPDATE outbox SET queue = subscription_id, slot_at = iif(kind IN ('retry', 'test'), ${MARK}, slot_at)
      WHERE queue = '' AND subscription_id = ${subscriptionId}
      AND (due_at, id) IN (SELECT value ->> 'dueAt', value ->> 'id' FROM json_each(${jsonList(keys)}))
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = outbox.subscription_id
        AND a.id = coalesce(outbox.attempt_id, outbox.id))`,
  });
}

/** Ends every empty backlog. New deliveries of its subscription then go to the main outbox queue. */
export async function endBacklogs(db: Db, nowMs: number): Promise<void> {
  await atomically(db, {
    ended: sql`UPDATE subscriptions SET has_backlog = 0, held_until = 0, released_to = NULL, dropped_to = NULL
      WHERE has_backlog = 1 AND held_until <= ${nowMs} AND (enabled = 1 OR released_to IS NULL) AND NOT EXISTS (SELECT 1
        FROM outbox WHERE queue = subscriptions.id)`,
  });
}

/** Whether a delivery of the main outbox queue is due between the two times (Unix ms). */
export async function isAnyDue(db: Db, afterMs: number, beforeMs: number): Promise<boolean> {
  const { found } = await atomically(db, {
    found: rows<{ id: string }>(
      sql`SELECT id FROM outbox WHERE queue = '' AND due_at > ${afterMs} AND due_at <= ${beforeMs} LIMIT 1`,
    ),
  });
  return found.length > 0;
}

/**
 * Returns when the next delivery of the main outbox queue is due and when the next hold ends, both after `nowMs`; null
 * for none.
 */
export async function nextMoments(db: Db, nowMs: number): Promise<{ dueAt: number | null; holdEndsAt: number | null }> {
  const { next } = await atomically(db, {
    next: rows<{ dueAt: number | null; holdEndsAt: number | null }>(
      sql`SELECT (SELECT min(due_at) FROM outbox WHERE queue = '' AND due_at > ${nowMs}) AS dueAt,
        (SELECT min(held_until) FROM subscriptions WHERE has_backlog = 1 AND held_until > ${nowMs}) AS holdEndsAt`,
    ),
  });
  return next[0] ?? { dueAt: null, holdEndsAt: null };
}
