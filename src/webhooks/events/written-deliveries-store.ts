/** How many deliveries a new event gets, as the statement that writes it knows, with `counts` of the receivers. */
import { type SQL, sql } from "drizzle-orm";
import { violates } from "../../base/db/client";

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

/** The same for an event with at most `most` deliveries, which nothing has counted: the event's row fails for more. */
export const writtenWithin = (most: SQL, isAllowed: SQL) => ({
  deliveries: sql`iif(changes() <= ${most}, changes(), NULL)`,
  isWritten: isAllowed,
  counts: sql.raw(""),
});

/** Whether an event has failed because it has more deliveries than were expected. */
export const hasMore = (error: unknown): boolean => violates(error, "NOT NULL", "events.delivery_count");
