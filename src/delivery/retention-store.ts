/**
 * Deleting by age, across tenants, page by page in the order of insertion (rowid): the oldest rows come first, so no index
 * on time is needed, which would cost a written row for each delivery, and no scan goes beyond the page.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import type { Deps } from "../deps";

const PAGE_ROWS = 500;

export type AgedTable = "attempts" | "deliveries" | "events" | "hourly_stats";

const agedAt: Record<AgedTable, SQL> = {
  attempts: sql`attempted_at`,
  deliveries: sql`created_at`,
  events: sql`created_at`,
  hourly_stats: sql`hour`,
};

/** A delivery that is not done stays, or whose last attempt does (it was sent again of late), and an event with any delivery left: those of an event share its id's moment. */
const mayGo: Record<AgedTable, SQL> = {
  attempts: sql`true`,
  deliveries: sql`due_at IS NULL AND NOT EXISTS (SELECT 1 FROM attempts a
    WHERE a.subscription_id = deliveries.subscription_id AND a.id = deliveries.last_attempt_id)`,
  events: sql`fan_out_after IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries d
    WHERE d.id >= substr(events.id, 1, 14) AND d.id < substr(events.id, 1, 14) || 'g' AND d.event_id = events.id)`,
  hourly_stats: sql`true`,
};

/**
 * Deletes what is older than `before` (Unix ms) in the page behind the row `afterRow`. `last` is the row to go on from, null when
 * the page held none that old. The counters of subscriptions follow in the same transaction.
 */
export async function deleteAged(
  { db }: Deps,
  table: AgedTable,
  before: number,
  afterRow: number,
): Promise<{ removed: number; last: number | null }> {
  const name = sql.raw(table);
  const page = sql`SELECT rowid AS row FROM (SELECT rowid, ${agedAt[table]} AS aged_at FROM ${name}
    WHERE rowid > ${afterRow} ORDER BY rowid LIMIT ${PAGE_ROWS}) WHERE aged_at < ${before}`;
  const statements = [
    sql`SELECT max(row) AS last FROM (${page})`,
    sql`DELETE FROM ${name} WHERE rowid IN (${page}) AND ${mayGo[table]} RETURNING rowid`,
  ];
  if (table === "attempts") statements.splice(1, 0, discount(page));
  const results = await atomically(db, statements);
  const [seen] = results[0] as { last: number | null }[];
  return { removed: results.at(-1)?.length ?? 0, last: seen?.last ?? null };
}

const discount = (page: SQL) => sql`UPDATE subscriptions SET
    pending_attempts = pending_attempts - t.pending,
    succeeded_attempts = succeeded_attempts - t.succeeded,
    failed_attempts = failed_attempts - t.failed
  FROM (SELECT subscription_id AS id, sum(status = 'pending') AS pending, sum(status = 'success') AS succeeded,
      sum(status = 'failed') AS failed FROM attempts WHERE rowid IN (${page}) GROUP BY subscription_id) t
  WHERE subscriptions.id = t.id`;
