/** How many people have left a directory, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { HOUR_MS } from "../../base/time";

/** Fewer are nothing to be told of at once, and neither is less than a tenth. */
const MANY = 20;

/**
 * Counts somebody who has left, and notes once an hour that more than 20 people and a tenth have left in one. Returns
 * how many at least, or 0. The hour begins with the first who leaves: counting the rows of all who left in the last 60
 * minutes would read them again for each.
 */
export async function noteDeparture({ db }: Deps, connectionId: string, nowMs: number): Promise<number> {
  const hourAgo = nowMs - HOUR_MS;
  const most = sql`max(${MANY}, (directory_active + directory_inactive) / 10)`;
  const { noted } = await atomically(db, {
    counted: sql`UPDATE connections SET directory_left = iif(directory_left_since > ${hourAgo}, directory_left + 1, 1),
        directory_left_since = iif(directory_left_since > ${hourAgo}, directory_left_since, ${nowMs})
      WHERE id = ${connectionId}`,
    noted: rows<{ count: number }>(sql`UPDATE connections SET directory_alarmed_at = ${nowMs}
      WHERE id = ${connectionId} AND coalesce(directory_alarmed_at, 0) <= ${hourAgo} AND directory_left > ${most}
      RETURNING directory_left AS count`),
  });
  return noted[0]?.count ?? 0;
}
