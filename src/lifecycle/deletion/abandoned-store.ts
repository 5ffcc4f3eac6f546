/** Accounts in D1 that were never verified and that nobody uses any more, across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query } from "../../base/db/client";
import { firstIdAt, newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { endAccount } from "./ending-store";

/**
 * True for an account with an unverified address, without API keys, that nobody has used since `sinceMs`: no session
 * and no mailed link has ended later, and the audit log has nothing newer (the `+` lets its index be used). Accounts
 * under a suspension, their own or that of a tenant, never count as abandoned: deleting them would lift it.
 */
const isAbandoned = (userId: SQL, sinceMs: number, nowMs: number) => sql`
  EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL AND suspended_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM memberships m CROSS JOIN tenants t ON t.id = m.tenant_id
    WHERE m.user_id = ${userId} AND t.suspended_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE user_id = ${userId} AND expires_at > ${sinceMs})
  AND NOT EXISTS (SELECT 1 FROM email_tokens WHERE subject_id = ${userId} AND purpose IN ('verify', 'reset')
    AND expires_at > ${sinceMs})
  AND NOT EXISTS (SELECT 1 FROM audit_events WHERE coalesce(actor_id, target_id) = +${userId}
    AND id >= ${firstIdAt(sinceMs)})
  AND NOT EXISTS (SELECT 1 FROM memberships m CROSS JOIN api_keys k ON k.user_id = '' AND k.tenant_id = m.tenant_id
    WHERE m.user_id = ${userId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs}))
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE user_id = ${userId} AND revoked_at IS NULL AND (expires_at IS NULL
    OR expires_at > ${nowMs}))`;

/** Returns the ids of up to `limit` accounts that are abandoned since `sinceMs` (Unix ms). */
export async function readAbandonedAccounts(
  { db }: Deps,
  sinceMs: number,
  limit: number,
  nowMs: number,
): Promise<string[]> {
  const found = await query<{ userId: string }>(db)`SELECT DISTINCT e.subject_id AS userId
    FROM email_tokens e INDEXED BY email_tokens_by_expiry
    WHERE e.expires_at <= ${sinceMs} AND e.purpose = 'verify' AND ${isAbandoned(sql`e.subject_id`, sinceMs, nowMs)}
      LIMIT ${limit}`;
  return found.map(({ userId }) => userId);
}

/**
 * Deletes the account, and the tenants that nobody else is a member of. Returns false when the account is in use again.
 */
export async function deleteAbandonedAccount(
  { db }: Deps,
  userId: string,
  sinceMs: number,
  nowMs: number,
): Promise<boolean> {
  const condition = isAbandoned(sql`u.id`, sinceMs, nowMs);
  const ending = { userId, purgeId: newId(), actor: SYSTEM, condition, mailTo: sql`NULL` };
  const { user } = await atomically(db, endAccount(ending, nowMs));
  return user.length === 1;
}
