/** How many people have left a directory, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { HOUR_MS } from "../../base/time";

/** Fewer are nothing to be told of at once, and neither is less than a tenth. */
const MANY = 20;

/** Counts who leaves if `hasLeft`: `people` of them. */
export function countDepartures(connectionId: string, hasLeft: SQL, people: SQL, nowMs: number): SQL {
  const hourAgo = nowMs - HOUR_MS;
  return sql`UPDATE connections
    SET directory_left = iif(directory_left_since > ${hourAgo}, directory_left + ${people}, ${people}),
      directory_left_since = iif(directory_left_since > ${hourAgo}, directory_left_since, ${nowMs})
    WHERE id = ${connectionId} AND ${hasLeft}`;
}

/** Notes once an hour that more than 20 people and a tenth have left in one. Returns how many, or nothing. */
export const noteMany = (connectionId: string, hasLeft: SQL, nowMs: number): Rows<{ count: number }> =>
  rows(sql`UPDATE connections SET directory_alarmed_at = ${nowMs}
    WHERE id = ${connectionId} AND coalesce(directory_alarmed_at, 0) <= ${nowMs - HOUR_MS}
      AND directory_left_since > ${nowMs - HOUR_MS}
      AND directory_left > max(${MANY}, (directory_active + directory_inactive) / 10)
      AND ${hasLeft} RETURNING directory_left AS count`);

/**
 * Counts somebody who leaves if `hasLeft`, and notes once an hour that more than 20 people and a tenth have left in
 * one. Statements of the batch in which they leave; they return how many, or nothing. The hour begins with the first
 * who leaves: counting the rows of all who left in the last 60 minutes would read them again for each.
 */
export function noteDeparture(connectionId: string, hasLeft: SQL, nowMs: number): Rows<{ count: number }>[] {
  return [rows(countDepartures(connectionId, hasLeft, sql`1`, nowMs)), noteMany(connectionId, hasLeft, nowMs)];
}

/** The same of people whom a change of groups or rules has left without a role, after its batch. */
export async function noteManyAfterwards(
  { db }: Deps,
  { connectionId, tenantId }: { connectionId: string; tenantId: string },
  nowMs: number,
): Promise<{ count: number } | undefined> {
  const { noted } = await atomically(db, { noted: noteMany(connectionId, sql`tenant_id = ${tenantId}`, nowMs) });
  return noted[0];
}
