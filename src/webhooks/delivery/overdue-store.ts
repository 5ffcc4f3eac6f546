/** Overdue deliveries of one delivery database, across its tenants: their attempts, and ending or repeating these. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, rows } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { hourOf } from "../../platform/time";
import { endProbe } from "../lanes/lane-store";
import { addToHours } from "../stats/hours-store";
import type { DueDelivery } from "./enqueue";
import { PLACEHOLDER, PLANNED_ID } from "./outbox-store";
import { INTERRUPTED } from "./reasons";

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
        hourOf(nowMs),
      ),
      outbox: sql`UPDATE outbox SET due_at = t.next_due_at, attempt_id = t.next_attempt_id, interruptions =
        interruptions + 1 FROM (
          SELECT j.value ->> 'queue' AS queue, j.value ->> 'dueAt' AS due_at, j.value ->> 'deliveryId' AS id,
            j.value ->> 'nextDueAt' AS next_due_at, j.value ->> 'nextAttemptId' AS next_attempt_id FROM ${dead}) t
        WHERE outbox.queue = t.queue AND outbox.due_at = t.due_at AND outbox.id = t.id`,
      // Otherwise any later success, such as that of a test, would count as the success of the probe.
      probes: endProbe(sql`SELECT a.subscription_id FROM ${dead}`),
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
