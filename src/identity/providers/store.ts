/**
 * Identities in D1: which person at a provider signs in as which user. Looked up across tenants, because nobody is
 * signed in yet.
 */
import { asc, eq, type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import { identities } from "../../base/tables/credentials";
import type { ProviderIdentity } from "./identity";

/** How many identities a user can have. */
export const MAX_IDENTITIES = 10;

export type IdentityRow = typeof identities.$inferSelect;

/** The identities of a user, oldest first. */
export function listIdentitiesOfUser({ db }: Deps, userId: string): Promise<IdentityRow[]> {
  return db
    .select()
    .from(identities)
    .where(eq(identities.userId, userId))
    .orderBy(asc(identities.createdAt), asc(identities.id));
}

/** Returns the id of the user to whom an identity belongs. */
export async function findUserByIdentity(
  { db }: Deps,
  { issuer, sub }: Pick<ProviderIdentity, "issuer" | "sub">,
): Promise<string | undefined> {
  const row = await queryFirst<{ userId: string }>(db)`SELECT user_id AS userId FROM identities
    WHERE issuer = ${issuer} AND sub = ${sub}`;
  return row?.userId;
}

/**
 * Adds an identity to `users u` if `condition` holds. Writes nothing if the identity exists already or the user has too
 * many.
 */
export const insertIdentity = (
  id: string,
  { provider, issuer, sub, email }: ProviderIdentity,
  condition: SQL,
  nowMs: number,
): SQL => sql`INSERT INTO identities (issuer, sub, id, user_id, provider, email, created_at)
  SELECT ${issuer}, ${sub}, ${id}, u.id, ${provider}, ${email}, ${nowMs} FROM users u
  WHERE ${condition} AND (SELECT count(*) FROM identities o WHERE o.user_id = u.id) < ${MAX_IDENTITIES}
  ON CONFLICT DO NOTHING RETURNING id`;

/** True once the batch has added the identity with this id. */
export const isAdded = (id: string, { issuer, sub }: Pick<ProviderIdentity, "issuer" | "sub">): SQL =>
  sql`EXISTS (SELECT 1 FROM identities WHERE issuer = ${issuer} AND sub = ${sub} AND id = ${id})`;

/** A sign-in with an identity. Only the write decides whether its code is unused. */
export interface IdentityUse {
  issuer: string;
  sub: string;
  stateId: string;
}

/** A condition that holds while the code is unused and the identity is the user's. */
export const identityStillValid = (userId: string, { issuer, sub, stateId }: IdentityUse): SQL =>
  sql`(${isUnused(stateId)} AND EXISTS (SELECT 1 FROM identities WHERE issuer = ${issuer} AND sub = ${sub}
    AND user_id = ${userId}))`;

/** Uses the identity and the code. Must come after every statement of the batch that uses `identityStillValid`. */
export const useIdentity = (userId: string, use: IdentityUse, nowMs: number) => ({
  identityUsed: sql`UPDATE identities SET last_used_at = ${nowMs} WHERE issuer = ${use.issuer} AND sub = ${use.sub}
    AND ${identityStillValid(userId, use)}`,
  codeUsed: useState(use.stateId),
});
