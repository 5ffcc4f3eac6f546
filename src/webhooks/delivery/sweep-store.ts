/** What the sweep reads in one delivery database, across its tenants. */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../../platform/db/client";
import { answersWithin } from "../stats/hours-store";
import { OVERDUE_COLUMNS, type OverdueDelivery, PLANNED_ATTEMPT } from "./overdue-store";
import { HANGS_AFTER_MS } from "./timing";

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
