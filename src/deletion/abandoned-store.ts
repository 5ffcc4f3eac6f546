/** Accounts in D1 that were never verified and that nobody can sign in to, across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { SYSTEM } from "../audit/actor";
import { atomically, rows } from "../db/client";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { endAccount } from "./ending-store";

/** True for an account without sessions and API keys whose address is unverified, so that nobody can sign in to it. */
const isAbandoned = (userId: SQL, nowMs: number) => sql`
  EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs})
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE user_id = ${userId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${nowMs}))`;

/** Returns the ids of up to `limit` abandoned accounts whose verification tokens expired before `expiredBefore` (Unix ms). */
export async function findAbandonedAccounts(
  { db }: Deps,
  expiredBefore: number,
  limit: number,
  nowMs: number,
): Promise<string[]> {
  const { found } = await atomically(db, {
    found: rows<{ userId: string }>(sql`SELECT DISTINCT e.subject_id AS userId
      FROM email_tokens e INDEXED BY email_tokens_by_expiry
      WHERE e.expires_at <= ${expiredBefore} AND e.purpose = 'verify' AND ${isAbandoned(sql`e.subject_id`, nowMs)} LIMIT ${limit}`),
  });
  return found.map(({ userId }) => userId);
}

/** Deletes the account, and the tenants that nobody else is a member of. Returns false when the account is in use again. */
export async function deleteAbandonedAccount({ db }: Deps, userId: string, nowMs: number): Promise<boolean> {
  const condition = isAbandoned(sql`u.id`, nowMs);
  const ending = { userId, purgeId: newId(), actor: SYSTEM, condition, mailTo: sql`NULL` };
  const { user } = await atomically(db, endAccount(ending, nowMs));
  return user.length === 1;
}
