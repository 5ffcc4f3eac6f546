/** The held deliveries of one delivery database, across its tenants: releasing them step by step, and dropping those that are too many or too old. */
import { sql } from "drizzle-orm";
import { atomically, type Db, rows } from "../db/client";
import { repeatable } from "../db/faults";
import { firstIdAt } from "../db/ids";
import { PLANNED_ID } from "../db/outbox";
import { addToHours } from "../stats/hours-store";
import { lastOfStep } from "../subscriptions/release-store";
import { MINUTE_MS } from "../time";
import { DROPPED, HOLD_OVERFLOW } from "./reasons";

/** The most deliveries that a subscription holds. */
const MAX_HELD = 100_000;
/** A step is taken a minute after the one before; crons are not that exact. */
const STEP_MS = MINUTE_MS - 5_000;
const MAX_RATE = MAX_HELD;
const PAGE_ROWS = 1_000;

/** Releases the next step of each subscription whose held deliveries go out. Each minute without a failed attempt doubles the step. */
export async function releaseSteps(db: Db, nowMs: number): Promise<void> {
  const isDue = sql`has_backlog = 1 AND enabled = 1 AND released_to IS NOT NULL AND dropped_to IS NULL AND released_at <= ${nowMs - STEP_MS}`;
  const { due } = await atomically(db, {
    due: rows<{
      id: string;
      rate: number;
      hasFailed: 0 | 1;
    }>(sql`SELECT id, release_rate AS rate, EXISTS (SELECT 1 FROM attempts a
        WHERE a.subscription_id = s.id AND a.id >= ${firstIdAt(nowMs - MINUTE_MS)} AND a.status = 'failed') AS hasFailed
      FROM subscriptions s WHERE ${isDue}`),
  });
  for (const { id, rate, hasFailed } of due) {
    const next = hasFailed === 1 ? rate : Math.min(2 * rate, MAX_RATE);
    await repeatable(() =>
      atomically(db, {
        released: sql`UPDATE subscriptions SET released_at = ${nowMs}, release_rate = ${next},
          released_to = ${lastOfStep(sql`subscriptions.id`, next, sql`released_to`)} WHERE id = ${id} AND ${isDue}`,
      }),
    );
  }
}

/** Deliveries of a subscription to drop: the oldest ones, up to a key of its backlog. */
export interface Surplus {
  subscriptionId: string;
  dueAt: number;
  id: string;
  error: string;
}

/** Sorts after every id. */
const LAST_ID = "~";

/** Returns which held deliveries are to be dropped: those that a user does not want, those before `oldestMs` (Unix ms), and those beyond the most. */
export async function findSurplus(db: Db, oldestMs: number): Promise<Surplus[]> {
  const holding = sql`(SELECT id, dropped_to FROM subscriptions WHERE has_backlog = 1 AND released_to IS NOT NULL) w`;
  const { dropped, old, overflowing } = await atomically(db, {
    dropped:
      rows<Surplus>(sql`SELECT id AS subscriptionId, dropped_to AS dueAt, ${LAST_ID} AS id, ${DROPPED} AS error FROM ${holding}
      WHERE dropped_to IS NOT NULL`),
    old: rows<Surplus>(sql`SELECT w.id AS subscriptionId, ${oldestMs} AS dueAt, ${LAST_ID} AS id, ${HOLD_OVERFLOW} AS error FROM ${holding}
      WHERE EXISTS (SELECT 1 FROM outbox WHERE queue = w.id AND due_at <= ${oldestMs})`),
    overflowing:
      rows<Surplus>(sql`SELECT w.id AS subscriptionId, o.due_at AS dueAt, o.id, ${HOLD_OVERFLOW} AS error FROM ${holding}
      CROSS JOIN outbox o ON o.queue = w.id AND (o.due_at, o.id) = (SELECT due_at, id FROM outbox WHERE queue = w.id
        ORDER BY due_at DESC, id DESC LIMIT 1 OFFSET ${MAX_HELD})`),
  });
  return [...dropped, ...old, ...overflowing];
}

/** Drops one page, oldest first, and ends each delivery with a failed attempt. Returns how many it dropped. */
export async function dropHeld(db: Db, { subscriptionId, dueAt, id, error }: Surplus, nowMs: number): Promise<number> {
  const page = sql`(SELECT * FROM outbox o WHERE queue = ${subscriptionId} AND (due_at, id) <= (${dueAt}, ${id}) AND NOT EXISTS (
      SELECT 1 FROM attempts a WHERE a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID})
    ORDER BY due_at, id LIMIT ${PAGE_ROWS}) o`;
  const { removed } = await repeatable(() =>
    atomically(db, {
      stats: addToHours(
        sql`SELECT o.subscription_id, 0 AS position, 0 AS succeeded, NULL AS latency_ms, NULL AS failed_at FROM ${page}`,
        nowMs,
      ),
      // After the counts and before the attempts, by which the page would see that a delivery has ended.
      ended: sql`INSERT INTO attempts (subscription_id, id, delivery_id, event_id, event_type, kind, status, error, attempt_count, attempted_at, completed_at)
        SELECT o.subscription_id, ${PLANNED_ID}, nullif(o.id, ${PLANNED_ID}), o.event_id, coalesce(e.type, ''), o.kind, 'failed', ${error},
          o.attempts + 1, ${nowMs}, ${nowMs}
        FROM ${page} LEFT JOIN events e ON e.id = o.event_id`,
      removed: rows<{
        id: string;
      }>(sql`DELETE FROM outbox WHERE queue = ${subscriptionId} AND (due_at, id) <= (${dueAt}, ${id})
        AND EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = outbox.subscription_id
          AND a.id = coalesce(outbox.attempt_id, outbox.id) AND a.status = 'failed' AND a.error = ${error}) RETURNING id`),
    }),
  );
  return removed.length;
}

/** Lets the deliveries go that came after those that a user has dropped. */
export async function endDropping(db: Db, { subscriptionId, dueAt }: Surplus): Promise<void> {
  await atomically(db, {
    ended: sql`UPDATE subscriptions SET dropped_to = NULL, released_to = iif(enabled, NULL, released_to)
      WHERE id = ${subscriptionId} AND dropped_to = ${dueAt}
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE queue = subscriptions.id AND due_at <= dropped_to)`,
  });
}
