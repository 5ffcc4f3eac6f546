/** Managed accounts in D1 that are members of no tenant any more, across tenants. */
import { sql } from "drizzle-orm";
import { atomically, query } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { hasNothingElse } from "../../sign-on/people/managed-store";
import { endAccount } from "./ending-store";

/** Where a page of the connections' identities ends. */
export type IdentityPlace = readonly [connectionId: string, generation: number, subject: string];

/**
 * True for the account `u` of an identity `i` whose connection has made it, and which has neither a credential of its
 * own nor a tenant. Until `sinceMs` it was used, or its membership ended.
 */
const isLeft = (sinceMs: number) => sql`i.is_maker = 1 AND max(i.created_at, coalesce(i.last_used_at, 0),
    coalesce(i.removed_at, 0)) <= ${sinceMs} AND u.suspended_at IS NULL AND ${hasNothingElse(sql`i.connection_id`)}
  AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id)`;

/** Reads the next `limit` identities after `place`, with the accounts among them that are left. */
export async function readLeftAccounts(
  { db }: Deps,
  place: IdentityPlace,
  limit: number,
  sinceMs: number,
): Promise<{ userIds: string[]; next: IdentityPlace | null }> {
  const [connectionId, generation, subject] = place;
  const found = await query<{ connectionId: string; generation: number; subject: string; userId: string | null }>(db)`
    SELECT i.connection_id AS connectionId, i.generation, i.subject, (SELECT u.id FROM users u WHERE u.id = i.user_id
      AND ${isLeft(sinceMs)}) AS userId
    FROM connection_identities i WHERE (i.connection_id, i.generation, i.subject)
      > (${connectionId}, ${generation}, ${subject})
    ORDER BY i.connection_id, i.generation, i.subject LIMIT ${limit}`;
  const last = found.length < limit ? undefined : found.at(-1);
  return {
    userIds: found.flatMap(({ userId }) => userId ?? []),
    next: last ? [last.connectionId, last.generation, last.subject] : null,
  };
}

/** Deletes the account. Returns false when it is in use again. */
export async function deleteLeftAccount(
  { db }: Deps,
  userId: string,
  sinceMs: number,
  nowMs: number,
): Promise<boolean> {
  const condition = sql`EXISTS (SELECT 1 FROM connection_identities i WHERE i.user_id = u.id AND ${isLeft(sinceMs)})`;
  const ending = { userId, purgeId: newId(), actor: SYSTEM, condition, mailTo: sql`NULL` };
  const { user } = await atomically(db, endAccount(ending, nowMs));
  return user.length === 1;
}
