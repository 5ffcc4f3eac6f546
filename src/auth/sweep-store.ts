/** What the hourly sweep removes from the control plane, across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../db/client";
import type { Deps } from "../deps";
import type { TenantRef } from "../tenants/principal";

/** The columns are named without a table, for `rowid` would be ambiguous with one. */
const removeUpTo = (limit: number, table: string, condition: SQL) =>
  sql`DELETE FROM ${sql.identifier(table)} WHERE rowid IN
    (SELECT rowid FROM ${sql.identifier(table)} WHERE ${condition} LIMIT ${limit}) RETURNING 1`;

/** A verification token is kept as long as its address is unverified: through it, `findAbandonedAccounts` finds the account. */
const isNeeded = sql`purpose = 'verify'
  AND EXISTS (SELECT 1 FROM users WHERE users.id = email_tokens.subject_id AND users.email_verified_at IS NULL)`;

/** What has ended, or was seen last, at these times (Unix ms) is removed. */
interface Oldest {
  endedAt: number;
  deviceSeenAt: number;
}

/** Deletes up to `limit` rows of each table that are too old. Returns how many it deleted. */
export async function deleteEnded({ db }: Deps, oldest: Oldest, limit: number): Promise<number> {
  const endedBefore = oldest.endedAt;
  const { sessions, emailTokens, invitations, revokedKeys, expiredKeys, alertMails, devices } = await atomically(db, {
    sessions: removeUpTo(limit, "sessions", sql`expires_at <= ${endedBefore}`),
    emailTokens: removeUpTo(limit, "email_tokens", sql`expires_at <= ${endedBefore} AND NOT (${isNeeded})`),
    invitations: removeUpTo(limit, "invitations", sql`expires_at <= ${endedBefore}`),
    revokedKeys: removeUpTo(limit, "api_keys", sql`revoked_at <= ${endedBefore}`),
    expiredKeys: removeUpTo(limit, "api_keys", sql`expires_at <= ${endedBefore}`),
    // Their ids begin with their time.
    alertMails: removeUpTo(limit, "alert_mails", sql`id < ${String(endedBefore)}`),
    // The table has no rowid.
    devices: sql`DELETE FROM known_devices WHERE (user_id, key) IN
      (SELECT user_id, key FROM known_devices WHERE last_seen_at <= ${oldest.deviceSeenAt} LIMIT ${limit}) RETURNING 1`,
  });
  const removed = [sessions, emailTokens, invitations, revokedKeys, expiredKeys, alertMails, devices];
  return removed.reduce((sum, { length }) => sum + length, 0);
}

export interface AbandonedAccount {
  userId: string;
  /** The tenants that nobody else is a member of. */
  tenants: TenantRef[];
}

/** True for an account without sessions and API keys whose address is unverified, so that nobody can sign in to it. */
const isAbandoned = (userId: SQL, nowMs: number) => sql`
  EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs})
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE user_id = ${userId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${nowMs}))`;

/** Returns up to `limit` unused accounts whose verification tokens expired before `expiredBefore` (Unix ms). */
export async function findAbandonedAccounts(
  { db }: Deps,
  expiredBefore: number,
  limit: number,
  nowMs: number,
): Promise<AbandonedAccount[]> {
  const { found } = await atomically(db, {
    found: rows<{ userId: string; tenants: string }>(sql`SELECT e.subject_id AS userId,
        (SELECT json_group_array(json_object('tenantId', t.id, 'shard', t.shard)) FROM memberships m JOIN tenants t ON t.id = m.tenant_id
          WHERE m.user_id = e.subject_id AND (SELECT count(*) FROM memberships o WHERE o.tenant_id = t.id) = 1) AS tenants
      FROM email_tokens e INDEXED BY email_tokens_by_expiry
      WHERE e.expires_at <= ${expiredBefore} AND e.purpose = 'verify' AND ${isAbandoned(sql`e.subject_id`, nowMs)}
      GROUP BY e.subject_id LIMIT ${limit}`),
  });
  return found.map(({ userId, tenants }) => ({ userId, tenants: JSON.parse(tenants) as TenantRef[] }));
}

/** Deletes the account, and the tenants that nobody else is a member of. Returns false when the account is in use again. */
export async function deleteAbandonedAccount(
  { db }: Deps,
  { userId, tenants }: AbandonedAccount,
  nowMs: number,
): Promise<boolean> {
  const abandoned = isAbandoned(sql`${userId}`, nowMs);
  const tenantIds = JSON.stringify(tenants.map(({ tenantId }) => tenantId));
  const { deleted } = await atomically(db, {
    tenants: sql`DELETE FROM tenants WHERE id IN (SELECT value FROM json_each(${tenantIds})) AND ${abandoned}
      AND (SELECT count(*) FROM memberships WHERE tenant_id = tenants.id) = 1`,
    memberships: sql`DELETE FROM memberships WHERE user_id = ${userId} AND ${abandoned}`,
    recoveryCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${abandoned}`,
    devices: sql`DELETE FROM known_devices WHERE user_id = ${userId} AND ${abandoned}`,
    tokens: sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND ${abandoned}`,
    // Last: the others ask whether the account is there and unverified.
    deleted: sql`DELETE FROM users WHERE id = ${userId} AND ${abandoned} RETURNING id`,
  });
  return deleted.length === 1;
}
