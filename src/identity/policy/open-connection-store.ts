/** Connections through which people sign on, in SQL. */
import { sql } from "drizzle-orm";

/** True for a connection `c` through which people sign on: a directory alone signs nobody on. */
export const IS_OPEN = sql`(c.state = 'active' AND c.needs_review = 0 AND c.kind <> 'directory')`;
