/** What the sweep reads in one delivery database, across its tenants. */

import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../platform/db/client";
import { isSlowAt } from "../lanes/predicates-store";
import { answersWithin } from "../stats/hours-store";
import { MAIN } from "./outbox-store";
import { OVERDUE_COLUMNS, type OverdueDelivery, PLANNED_ATTEMPT } from "./overdue-store";
import { HANGS_AFTER_MS } from "./timing";

/** An overdue delivery of the main outbox queue. */
export interface MainDelivery extends OverdueDelivery {
  /** 1 for a retry under a subscription's own schedule: if its wait was long, it has no message. */
  isTimed: 0 | 1;
}

/**
 * Returns one page of the main outbox queue that was due at or before `dueBefore` (Unix ms), oldest first, after the
 * key `after`. A subscription counts as slow unless it has lately answered quickly. Its deliveries may not be lost but
 * only wait in the slow queue, and a wide event to slow subscriptions would otherwise fill the fast queue.
 */
export async function readOverdue(
  db: Db,
  { dueBefore, after, limit }: { dueBefore: number; after: { dueAt: number; id: string }; limit: number },
  nowMs: number,
): Promise<MainDelivery[]> {
  const { overdue } = await atomically(db, {
    overdue: rows<MainDelivery>(sql`SELECT ${OVERDUE_COLUMNS},
        o.attempts > 0 AND s.options ->> '$.retry' IS NOT NULL AS isTimed,
        coalesce(${isSlowAt(nowMs)}, 0) OR NOT ${answersWithin(sql`o.subscription_id`, HANGS_AFTER_MS)} AS slow
      FROM (SELECT * FROM outbox WHERE queue = ${MAIN} AND (due_at, id) > (${after.dueAt}, ${after.id})
        AND due_at <= ${dueBefore}
        ORDER BY due_at, id LIMIT ${limit}) o ${PLANNED_ATTEMPT} ORDER BY o.due_at, o.id`),
  });
  return overdue;
}

/**
 * Returns when the next delivery of the main outbox queue is due and when the next hold ends, both after `nowMs`; null
 * for none.
 */
export async function nextMoments(db: Db, nowMs: number): Promise<{ dueAt: number | null; holdEndsAt: number | null }> {
  const { next } = await atomically(db, {
    next: rows<{ dueAt: number | null; holdEndsAt: number | null }>(
      sql`SELECT (SELECT min(due_at) FROM outbox WHERE queue = ${MAIN} AND due_at > ${nowMs}) AS dueAt,
        (SELECT min(held_until) FROM subscriptions WHERE has_backlog = 1 AND held_until > ${nowMs}) AS holdEndsAt`,
    ),
  });
  return next[0] ?? { dueAt: null, holdEndsAt: null };
}
