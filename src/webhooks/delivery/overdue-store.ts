/** Overdue deliveries of one delivery database, across its tenants, and their attempts. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, queryFirst } from "../../base/db/client";
import type { DueDelivery } from "../plane/enqueue";
import { answersWithin } from "../plane/hours-store";
import { KEY_COLUMNS_OF_O, MAIN, PLACEHOLDER, PLANNED_ID } from "../plane/outbox-store";
import { isSlowAt } from "../plane/predicates-store";
import { HANGS_AFTER_MS } from "../plane/timing";

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
  /** That of the event of a pending attempt. */
  correlationId: string | null;
}

/** The columns of OverdueDelivery, with `PLANNED_ATTEMPT`. */
export const OVERDUE_COLUMNS = sql`${KEY_COLUMNS_OF_O}, ${sql.raw(`o.event_id AS eventId, o.attempts, o.interruptions,
  coalesce(b.id, a.id) AS attemptId, coalesce(b.status, a.status) AS attemptStatus,
  coalesce(b.event_id, a.event_id) AS attemptEventId, coalesce(b.attempted_at, a.attempted_at) AS claimedAt,
  CASE coalesce(b.status, a.status) WHEN 'pending' THEN (SELECT correlation_id FROM events WHERE id = o.event_id) END
    AS correlationId`)}`;

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
