/** A state that a client keeps encrypted works once: its use is stored until the state expires. */
import { type SQL, sql } from "drizzle-orm";

/**
 * True while the state with this id is unused. An id begins with the time of its expiry (Unix ms), by which the hourly
 * sweep finds it.
 */
export const isUnused = (stateId: string): SQL => sql`NOT EXISTS (SELECT 1 FROM used_states WHERE id = ${stateId})`;

/** Uses a state. Must come after every statement of the batch that asks `isUnused`. */
export const useState = (stateId: string): SQL => sql`INSERT OR IGNORE INTO used_states (id) VALUES (${stateId})`;
