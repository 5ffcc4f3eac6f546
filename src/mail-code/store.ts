/** Mailed codes in D1: a row says how many wrong guesses there were at one. A code that nobody has tried has none. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../db/client";
import type { Deps } from "../deps";

/** A code that was used has as many tries as one that was guessed too often. */
const MAX_TRIES = 5;

/**
 * Counts a guess unless it is right, in one write that takes the same time for both. Returns false when the code is used up: of any number
 * of parallel guesses, at most `MAX_TRIES` wrong ones get true. The code names its account.
 */
export async function countGuess({ db }: Deps, mailId: string, isRight: boolean): Promise<boolean> {
  const counted = isRight ? 0 : 1;
  const { judged } = await atomically(db, {
    judged: rows<{ tries: number }>(sql`INSERT INTO mail_codes (id, tries) VALUES (${mailId}, ${counted})
      ON CONFLICT (id) DO UPDATE SET tries = tries + ${counted} WHERE tries < ${MAX_TRIES} RETURNING tries`),
  });
  return judged.length === 1;
}

/** A condition that holds while a code that was judged right is unused. */
export const mailCodeHolds = (mailId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM mail_codes WHERE id = ${mailId} AND tries < ${MAX_TRIES})`;

/** Uses the code while `condition` holds. Must come after every statement of the batch that asks `mailCodeHolds`. */
export const useMailCode = (mailId: string, condition: SQL): SQL =>
  sql`UPDATE mail_codes SET tries = ${MAX_TRIES} WHERE id = ${mailId} AND ${condition}`;
