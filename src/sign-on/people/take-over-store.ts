/**
 * Taking an account over whose address was never proven, in D1: the tenant has proved the domain, and its provider says
 * whose the address is. Whoever has registered it loses what they have set up.
 */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { EndedAccess } from "../../base/mail/job";
import { endedOf, reclaim } from "../../identity/reclaim/reclaim-store";
import { recordChange, type SignOnOpening, standing } from "./opening-store";

/** Does not use up the code. Returns what ended; undefined when the address was proven in the meantime. */
export async function takeOver(
  { db }: Deps,
  opening: Pick<SignOnOpening, "signedOn" | "stateId" | "mailId" | "connection">,
  userId: string,
  nowMs: number,
): Promise<EndedAccess | undefined> {
  const stands = standing(opening);
  const isUnproven = sql`id = ${userId} AND email_verified_at IS NULL AND ${stands}`;
  const { ended } = await atomically(db, {
    password: sql`UPDATE users SET password_hash = '' WHERE ${isUnproven}`,
    ...reclaim(userId, stands, nowMs),
    // Last of the changes: the statements above ask whether the address is unproven.
    verified: sql`UPDATE users SET email_verified_at = ${nowMs}, email_verified_by = 'connection' WHERE ${isUnproven}`,
    recorded: recordChange(opening, "auth.email_verified", userId),
  });
  return endedOf(ended);
}
