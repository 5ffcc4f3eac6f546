/** Making or completing the account of somebody whom the former service knows, in D1. They have no tenant yet. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { type RequestOrigin, userActor } from "../../base/schemas/actor";
import { type SealedChange, writePeople } from "../people/write-store";

/**
 * Writes a person, whole or not at all. Throws an error that `isOutdated` recognises when what the change was decided
 * on is different now.
 */
export async function writePerson(
  { db }: Deps,
  change: SealedChange,
  state: { query: SQL; text: string },
  origin: RequestOrigin,
  nowMs: number,
): Promise<void> {
  const { id, email, isVerified } = change.person;
  // An account whose address is unproven may be somebody else's, who must not learn where the owner of the address is.
  const shown = isVerified ? origin : { ...origin, ip: null, userAgent: null };
  const actor = userActor({ userId: id, email }, shown);
  const source = { own: actor, ofMembers: actor, platform: null, meta: sql`'method', 'legacy-login'` };
  await atomically(db, {
    // First. The column refuses null, which undoes the batch.
    current: sql`INSERT INTO users (id, email, password_hash, created_at)
      SELECT '', '', NULL, 0 WHERE (${state.query}) <> ${state.text}`,
    ...writePeople(source, [change], nowMs),
  });
}

/** Whether a person was not written because somebody was faster. */
export const isOutdated = (error: unknown): boolean =>
  violates(error, "NOT NULL", "users.password_hash") || violates(error, "UNIQUE", "");
