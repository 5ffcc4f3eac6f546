/** How many deliveries a new event gets, as the statement that writes it knows, with `counts` of the receivers. */
import { type SQL, sql } from "drizzle-orm";

/** How many deliveries an event has, and whether it may be written: by the receivers in the index. */
export const countedAgain = (deliveries: SQL, isAllowed: SQL) => ({
  deliveries,
  isWritten: isAllowed,
  counts: sql` CROSS JOIN counts ON counts.type = e.type`,
});

/**
 * The same by what the statement before has written, for which nothing is read. None does not tell how many there are:
 * those of a wide event follow.
 */
export const justWritten = (isAllowed: SQL) => ({
  deliveries: sql`iif(changes() > 0, changes(), (SELECT counts.deliveries FROM counts))`,
  isWritten: sql`(changes() > 0 OR (${isAllowed}))`,
  counts: sql.raw(""),
});
