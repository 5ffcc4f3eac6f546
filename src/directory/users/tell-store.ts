/** How many people have left a directory, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** Fewer are nothing to be told of at once, and neither is less than a tenth. */
const MANY = 20;

/**
 * Notes that more than 20 people and a tenth have left since a time, Unix ms, unless that was noted since. Returns how
 * many at least, or 0. Reads a row once it was noted, and before only those who have left since: the plus keeps SQLite
 * from reading the whole directory.
 */
export async function noteManyLeft(
  { db }: Deps,
  connectionId: string,
  sinceMs: number,
  nowMs: number,
): Promise<number> {
  const most = sql`max(${MANY}, (c.directory_active + c.directory_inactive) / 10)`;
  const left = sql`(SELECT count(*) FROM directory_users l WHERE l.state IN ('inactive', 'removed')
    AND l.state_at > ${sinceMs} AND +l.connection_id = c.id)`;
  const { noted } = await atomically(db, {
    noted: rows<{ count: number }>(sql`UPDATE connections AS c SET directory_alarmed_at = ${nowMs}
      WHERE c.id = ${connectionId} AND coalesce(c.directory_alarmed_at, 0) <= ${sinceMs} AND ${left} > ${most}
      RETURNING max(${MANY}, (directory_active + directory_inactive) / 10) + 1 AS count`),
  });
  return noted[0]?.count ?? 0;
}
