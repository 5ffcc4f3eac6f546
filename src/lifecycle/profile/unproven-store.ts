/** An account in D1 whose address was never proven, and which a link of another account shows to be somebody else's. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { reclaim } from "../../identity/reclaim/reclaim-store";
import { endAccount } from "../deletion/ending-store";

/** A link that was mailed to the new address of an account. */
interface Link {
  hash: string;
  userId: string;
}

const isProofAgainst = ({ hash, userId }: Link, nowMs: number): SQL => sql`EXISTS (SELECT 1 FROM email_tokens t
  WHERE t.hash = ${hash} AND t.purpose = 'change-email' AND t.subject_id = ${userId} AND t.expires_at > ${nowMs}
    AND t.email = u.email AND u.id <> ${userId})`;

/** An account under a suspension stays: deleting it would lift that. */
const isUnproven = sql`u.email_verified_at IS NULL AND u.suspended_at IS NULL`;

/** The account that has the address of a link, unproven; null if there is none. */
export async function findUnprovenHolder({ db }: Deps, link: Link, nowMs: number): Promise<string | null> {
  const found = await queryFirst<{ id: string }>(db)`SELECT u.id FROM users u
    WHERE u.email = (SELECT t.email FROM email_tokens t WHERE t.hash = ${link.hash}) AND ${isUnproven}
      AND ${isProofAgainst(link, nowMs)}`;
  return found?.id ?? null;
}

/**
 * Takes from the account what it has set up, then deletes it. The tenants that it made stay, without it. Returns
 * whether it did: not if the address was proven in the meantime.
 */
export async function endUnprovenHolder(
  { db }: Deps,
  { holderId, ...link }: Link & { holderId: string },
  nowMs: number,
): Promise<boolean> {
  const condition = sql`${isUnproven} AND ${isProofAgainst(link, nowMs)}`;
  const stillUnproven = sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${holderId} AND ${condition})`;
  const reclaimed = Object.values(reclaim(holderId, stillUnproven, nowMs)).flat();
  const ending = { userId: holderId, purgeId: newId(), actor: SYSTEM, condition, mailTo: sql`NULL` };
  const { user } = await atomically(db, { reclaimed, ...endAccount(ending, nowMs) });
  return user.length === 1;
}
