/** Time-ordered identifiers (RFC 9562 UUIDv7), made in JavaScript or, for rows that SQL inserts by the hundred, in SQL. */
import { type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";

export const newId = uuidv7;

/** A new UUIDv7 for each row of an INSERT ... SELECT, with the timestamp of the UUIDv7 `id`. */
export const sqlIdAtTimeOf = (id: string | SQL) =>
  sql`substr(${id}, 1, 14) || '7' || substr(lower(hex(randomblob(2))), 2) || '-8' || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;

/** The start of every UUIDv7 of a moment (Unix ms): older ids sort before it. */
export function firstIdAt(timeMs: number): string {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
