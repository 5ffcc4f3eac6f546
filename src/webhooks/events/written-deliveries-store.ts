/** How many deliveries a new event gets, as the statement that writes it knows, with `counts` of the receivers. */
import { type SQL, sql } from "drizzle-orm";

/** How many deliveries an event has, and whether it may be written: by the receivers in the index. */
export const countedAgain = (deliveries: SQL, isAllowed: SQL) => ({
  deliveries,
  isWritten: isAllowed,
  counts: sql` CROSS JOIN counts ON counts.type = e.type`,
});

/**
 * The same by what the statement before has written, for which nothing is read. None, or a whole page, does not tell
 * how many there are.
 */
export const justWritten = (isAllowed: SQL, pageRows: number) => ({
  deliveries: sql`iif(changes() BETWEEN 1 AND ${sql.raw(String(pageRows - 1))}, changes(),
    (SELECT counts.deliveries FROM counts))`,
  isWritten: sql`(changes() > 0 OR (${isAllowed}))`,
  counts: sql.raw(""),
});
