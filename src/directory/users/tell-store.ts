/** How many people have left a directory, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import { HOUR_MS } from "../../base/time";

/** Fewer are nothing to be told of at once, and neither is less than a tenth. */
const MANY = 20;

/**
 * Counts somebody who leaves if `hasLeft`, and notes once an hour that more than 20 people and a tenth have left in
 * one. Statements of the batch in which they leave; they return how many, or nothing. The hour begins with the first
 * who leaves: counting the rows of all who left in the last 60 minutes would read them again for each.
 */
export function noteDeparture(connectionId: string, hasLeft: SQL, nowMs: number): Rows<{ count: number }>[] {
  const hourAgo = nowMs - HOUR_MS;
  const most = sql`max(${MANY}, (directory_active + directory_inactive) / 10)`;
  return [
    rows(sql`UPDATE connections SET directory_left = iif(directory_left_since > ${hourAgo}, directory_left + 1, 1),
        directory_left_since = iif(directory_left_since > ${hourAgo}, directory_left_since, ${nowMs})
      WHERE id = ${connectionId} AND ${hasLeft}`),
    rows(sql`UPDATE connections SET directory_alarmed_at = ${nowMs}
      WHERE id = ${connectionId} AND coalesce(directory_alarmed_at, 0) <= ${hourAgo} AND directory_left > ${most}
        AND ${hasLeft} RETURNING directory_left AS count`),
  ];
}
