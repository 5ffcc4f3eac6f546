/** Overdue deliveries of one delivery database, across its tenants: their attempts, and ending or repeating these. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, queryFirst, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { hourOf } from "../../platform/time";
import { endProbe } from "../lanes/lane-store";
import { isSlowAt } from "../lanes/predicates-store";
import { addToHours, answersWithin } from "../stats/hours-store";
import type { DueDelivery } from "./enqueue";
import { MAIN, PLACEHOLDER, PLANNED_ID } from "./outbox-store";
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
  /** The event of that attempt. It is another one if two events have made the same delivery id. */
  attemptEventId: string | null;
  /** When a pending attempt was claimed, Unix ms. */
  claimedAt: number | null;
}

/** The columns of OverdueDelivery, with `PLANNED_ATTEMPT`. */
export const OVERDUE_COLUMNS =
  sql.raw(`o.queue, o.due_at AS dueAt, o.id, o.subscription_id AS subscriptionId, o.bytes, o.tenant_id AS tenantId,
  o.event_id AS eventId, o.attempts, o.interruptions, coalesce(b.id, a.id) AS attemptId, coalesce(b.status, a.status)
    AS attemptStatus,
  coalesce(b.event_id, a.event_id) AS attemptEventId, coalesce(b.attempted_at, a.attempted_at) AS claimedAt`);

/**
 * Joins the attempt with the planned id as `a`, and, if that is a placeholder, the attempt that it points to as `b`.
 */
export const PLANNED_ATTEMPT = sql`LEFT JOIN attempts a ON a.subscription_id = o.subscription_id
  AND a.id = ${PLANNED_ID}
  LEFT JOIN attempts b ON a.status = ${PLACEHOLDER} AND b.subscription_id = o.subscription_id AND b.id = a.next_id
  LEFT JOIN subscriptions s ON s.id = o.subscription_id`;

/** An overdue delivery of the main outbox queue. */
interface MainDelivery extends OverdueDelivery {
  /** 1 for a retry under a subscription's own schedule: if its wait was long, it has no message. */
  isTimed: 0 | 1;
}

/**
 * Returns a page of `limit` deliveries of the main outbox queue that are due at `nowMs` (Unix ms), oldest first, after
 * the key `after`. A subscription counts as slow unless it has lately answered quickly. Its deliveries may not be lost
 * but only wait in the slow queue, and a wide event to slow subscriptions would otherwise fill the fast queue.
 */
export async function readOverdue(
  db: Db,
  after: { dueAt: number; id: string },
  limit: number,
  nowMs: number,
): Promise<MainDelivery[]> {
  return query<MainDelivery>(db)`SELECT ${OVERDUE_COLUMNS},
      o.attempts > 0 AND s.options ->> '$.retry' IS NOT NULL AS isTimed,
      coalesce(${isSlowAt(nowMs)}, 0) OR NOT ${answersWithin(sql`o.subscription_id`, HANGS_AFTER_MS)} AS slow
    FROM (SELECT * FROM outbox WHERE queue = ${MAIN} AND (due_at, id) > (${after.dueAt}, ${after.id})
      AND due_at <= ${nowMs} ORDER BY due_at, id LIMIT ${limit}) o ${PLANNED_ATTEMPT} ORDER BY o.due_at, o.id`;
}

/** When something next comes due, in Unix ms; null for never. */
interface NextMoments {
  dueAt: number | null;
  cooldownEndsAt: number | null;
}

/** Returns when the next delivery of the main outbox queue is due and when the next cooldown ends, after `nowMs`. */
export async function nextMoments(db: Db, nowMs: number): Promise<NextMoments> {
  const next = await queryFirst<NextMoments>(db)`SELECT
    (SELECT min(due_at) FROM outbox WHERE queue = ${MAIN} AND due_at > ${nowMs}) AS dueAt,
    (SELECT min(held_until) FROM subscriptions WHERE has_backlog = 1 AND held_until > ${nowMs}) AS cooldownEndsAt`;
  return next ?? { dueAt: null, cooldownEndsAt: null };
}

interface CorrelationId {
  id: string;
  correlationId: string | null;
}

/**
 * Ends attempts that a dead consumer left `pending`, and plans the next attempt of each delivery, which is due at
 * `nextDueAt` (Unix ms). An interrupted attempt does not count. Returns the correlation ids of the events by event id.
 */
export async function interruptAttempts(
  db: Db,
  interruptions: readonly (OverdueDelivery & { nextDueAt: number; nextAttemptId: string })[],
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
        hourOf(nowMs),
      ),
      outbox: sql`UPDATE outbox SET due_at = t.next_due_at, attempt_id = t.next_attempt_id,
          interruptions = interruptions + 1
        FROM (SELECT j.value ->> 'queue' AS queue, j.value ->> 'dueAt' AS due_at, j.value ->> 'id' AS id,
            j.value ->> 'nextDueAt' AS next_due_at, j.value ->> 'nextAttemptId' AS next_attempt_id FROM ${dead}) t
        WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
      // Otherwise any later success, such as that of a test, would count as the success of the probe.
      probes: endProbe(sql`SELECT a.subscription_id FROM ${dead}`),
      // After the statements above, which recognise a dead attempt by the status `pending`.
      attempts: sql`UPDATE attempts SET status = 'failed', claim = NULL, error = ${INTERRUPTED},
          completed_at = ${nowMs}, next_id = t.next_attempt_id
        FROM (SELECT a.subscription_id AS subscription_id, a.id AS id, j.value ->> 'nextAttemptId' AS next_attempt_id
          FROM ${dead}) t
        WHERE attempts.subscription_id = t.subscription_id AND attempts.id = t.id`,
      events: rows<CorrelationId>(sql`SELECT id, correlation_id AS correlationId FROM events
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
  deliveries: readonly (OverdueDelivery & { nextAttemptId: string })[],
): Promise<void> {
  const list = jsonList(deliveries);
  const key = sql.raw("value ->> 'queue' AS queue, value ->> 'dueAt' AS due_at, value ->> 'id' AS id");
  await atomically(db, {
    ended: sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (SELECT ${key} FROM json_each(${list})
      WHERE value ->> 'attemptStatus' = 'success' AND value ->> 'attemptEventId' = value ->> 'eventId')`,
    planned: sql`UPDATE outbox SET attempt_id = t.next_attempt_id
      FROM (SELECT ${key}, value ->> 'nextAttemptId' AS next_attempt_id FROM json_each(${list})) t
      WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
  });
}
