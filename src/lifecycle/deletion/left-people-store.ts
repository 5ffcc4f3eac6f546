/** Whom directories have deactivated or removed, in D1, across tenants: their managed accounts, and the tombstones. */
import { sql } from "drizzle-orm";
import { atomically, query } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { hasNothingElse } from "../../sign-on/people/managed-store";
import { endAccount } from "./ending-store";

/** A record whose person left long ago. */
export interface LeftPerson {
  connectionId: string;
  id: string;
  stateAt: number;
  /** The account that the record has made, if it has nothing else; null: there is none. */
  userId: string | null;
}

/** Where a page ends. */
export type LeftPlace = readonly [stateAt: number, connectionId: string, id: string];

/** True for the account `u` that the record `d` has made, and which has neither a credential nor a tenant. */
const isLeft = sql`d.is_maker = 1 AND d.state IN ('inactive', 'removed') AND u.suspended_at IS NULL
  AND ${hasNothingElse(sql`d.connection_id`)}
  AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id)`;

/** Reads the next `limit` records after `place` of whom left until `sinceMs`. */
export async function readLeftPeople(
  { db }: Deps,
  [stateAt, connectionId, id]: LeftPlace,
  limit: number,
  sinceMs: number,
): Promise<LeftPerson[]> {
  return query<LeftPerson>(db)`SELECT d.connection_id AS connectionId, d.id, d.state_at AS stateAt,
      (SELECT u.id FROM users u WHERE u.id = d.user_id AND ${isLeft}) AS userId
    FROM directory_users d WHERE d.state IN ('inactive', 'removed') AND d.state_at <= ${sinceMs}
      AND (d.state_at, d.connection_id, d.id) > (${stateAt}, ${connectionId}, ${id})
    ORDER BY d.state_at, d.connection_id, d.id LIMIT ${limit}`;
}

/** Deletes the account, unless it is in use again. Its purge removes the record. */
export async function deleteAccountOf(
  { db }: Deps,
  { connectionId, id, userId }: LeftPerson & { userId: string },
  nowMs: number,
): Promise<void> {
  const condition = sql`EXISTS (SELECT 1 FROM directory_users d WHERE d.connection_id = ${connectionId}
    AND d.id = ${id} AND d.user_id = u.id AND ${isLeft})`;
  const ending = { userId, purgeId: newId(), actor: SYSTEM, condition, mailTo: sql`NULL` };
  await atomically(db, endAccount(ending, nowMs));
}

/** Removes the tombstones of a page. */
export async function removeTombstones({ db }: Deps, people: readonly LeftPerson[], sinceMs: number): Promise<void> {
  const keys = JSON.stringify(people.map(({ connectionId, id }) => [connectionId, id]));
  await query(db)`DELETE FROM directory_users WHERE (connection_id, id) IN (SELECT j.value ->> 0, j.value ->> 1
    FROM json_each(${keys}) j) AND state = 'removed' AND state_at <= ${sinceMs}`;
}
