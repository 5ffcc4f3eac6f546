/** Ending the links that were mailed to a user. */
import { type SQL, sql } from "drizzle-orm";

/** Ends the changes of address that a user has asked for and not confirmed, if `condition` holds. */
export const endEmailChanges = (userId: SQL, condition: SQL): SQL =>
  sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND purpose = 'change-email' AND ${condition}`;

/**
 * Ends the links that were mailed to an address of the user's, if `condition` holds. Links for "this was not me" stay.
 */
export const endMailedLinks = (userId: SQL, condition: SQL): SQL =>
  sql`DELETE FROM email_tokens WHERE subject_id = ${userId}
    AND purpose IN ('verify', 'reset', 'remove-factor', 'change-email') AND ${condition}`;
