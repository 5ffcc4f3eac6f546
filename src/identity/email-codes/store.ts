/** Mailed codes in D1: a row counts the wrong attempts at one code. A code that nobody has tried has no row. */
import { type SQL, sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** The most wrong attempts. A used code is stored with this number of tries, too. */
const MAX_TRIES = 5;

/**
 * Counts an attempt unless it is right. The write takes the same time for right and wrong attempts. Returns false when
 * the code is used up: of any number of parallel attempts, at most `MAX_TRIES` wrong ones get true. Needs no user,
 * because the code belongs to one account.
 */
export async function countAttempt({ db }: Deps, mailId: string, isRight: boolean): Promise<boolean> {
  const counted = isRight ? 0 : 1;
  const open = await query<{ tries: number }>(db)`INSERT INTO mail_codes (id, tries) VALUES (${mailId}, ${counted})
    ON CONFLICT (id) DO UPDATE SET tries = tries + ${counted} WHERE tries < ${MAX_TRIES} RETURNING tries`;
  return open.length === 1;
}

/** A condition that holds while a code, already found right, is unused. */
export const mailCodeStillValid = (mailId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM mail_codes WHERE id = ${mailId} AND tries < ${MAX_TRIES})`;

/** Uses the code if `condition` holds. Must come after every statement of the batch that uses `mailCodeStillValid`. */
export const useMailCode = (mailId: string, condition: SQL): SQL =>
  sql`UPDATE mail_codes SET tries = ${MAX_TRIES} WHERE id = ${mailId} AND ${condition}`;
