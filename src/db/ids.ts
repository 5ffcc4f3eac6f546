/** Time-ordered identifiers (RFC 9562 UUIDv7), made in JavaScript or, for rows that SQL inserts by the hundred, in SQL. */
import { type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";

export const newId = uuidv7;

/** A new UUIDv7 for each row of an INSERT ... SELECT, with the timestamp of the UUIDv7 `id`. */
export const sqlIdAtTimeOf = (id: string | SQL) =>
  sql`substr(${id}, 1, 14) || '7' || substr(lower(hex(randomblob(2))), 2) || '-8' || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;

/** The start of every UUIDv7 of a moment (Unix ms, as SQL): older ids sort before it. */
export const firstIdAtSql = (timeMs: SQL) =>
  sql`substr(printf('%012x', ${timeMs}), 1, 8) || '-' || substr(printf('%012x', ${timeMs}), 9)`;
