/** What the hourly expiry removes from the control plane, across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../base/db/client";
import { firstIdAt } from "../base/db/ids";
import type { Deps } from "../base/deps";
import { DAY_MS } from "../base/time";

/** The columns are named without a table, because `rowid` would be ambiguous with one. */
const removeUpTo = (limit: number, table: string, condition: SQL) =>
  sql`DELETE FROM ${sql.identifier(table)} WHERE rowid IN
    (SELECT rowid FROM ${sql.identifier(table)} WHERE ${condition} LIMIT ${limit}) RETURNING 1`;

const removeHashes = (limit: number, condition: SQL) =>
  sql`DELETE FROM platform_key_hashes WHERE hash IN (SELECT hash FROM platform_key_hashes WHERE ${condition}
    LIMIT ${limit}) RETURNING 1`;

/**
 * A verification token is kept while its address is unverified, because the removal of abandoned accounts finds
 * accounts by it.
 */
const isNeeded = sql`purpose = 'verify'
  AND EXISTS (SELECT 1 FROM users WHERE users.id = email_tokens.subject_id AND users.email_verified_at IS NULL)`;

/** How far back expired links are searched for states. */
const STATES_WINDOW_MS = 3 * DAY_MS;

/** Rows that ended or were last seen at these times (Unix ms) or before are removed. */
interface Oldest {
  /** Of links whose stored state is removed before their rows are. */
  linkEndedAt: number;
  endedAt: number;
  keyEndedAt: number;
  deviceSeenAt: number;
  consentUsedAt: number;
  stateExpiredAt: number;
  portalEndedAt: number;
  signerRetiredAt: number;
  revokedAt: number;
}

/** Deletes up to `limit` rows of each table that are too old. Returns how many it deleted. */
export async function deleteEnded({ db }: Deps, oldest: Oldest, limit: number): Promise<number> {
  const endedBefore = oldest.endedAt;
  const removed = await atomically(db, {
    sessions: removeUpTo(limit, "sessions", sql`expires_at <= ${endedBefore}`),
    emailTokens: removeUpTo(limit, "email_tokens", sql`expires_at <= ${endedBefore} AND NOT (${isNeeded})`),
    // Such as the encrypted second factor that a link would have restored. Each hour looks at few rows only.
    states: sql`UPDATE email_tokens SET action = NULL WHERE rowid IN (SELECT rowid FROM email_tokens
      WHERE expires_at > ${oldest.linkEndedAt - STATES_WINDOW_MS} AND expires_at <= ${oldest.linkEndedAt}
        AND purpose = 'undo' AND action IS NOT NULL LIMIT ${limit}) RETURNING 1`,
    invitations: removeUpTo(limit, "invitations", sql`expires_at <= ${endedBefore}`),
    revokedKeys: removeUpTo(limit, "api_keys", sql`revoked_at <= ${oldest.keyEndedAt}`),
    expiredKeys: removeUpTo(limit, "api_keys", sql`expires_at <= ${oldest.keyEndedAt}`),
    formerHashes: removeHashes(limit, sql`expires_at <= ${oldest.stateExpiredAt}`),
    // Before the keys, through which they are found.
    hashes: removeHashes(
      limit,
      sql`key_id IN (SELECT id FROM platform_keys WHERE revoked_at <= ${oldest.keyEndedAt}
      UNION ALL SELECT id FROM platform_keys WHERE expires_at <= ${oldest.keyEndedAt})`,
    ),
    revokedPlatformKeys: removeUpTo(limit, "platform_keys", sql`revoked_at <= ${oldest.keyEndedAt}`),
    expiredPlatformKeys: removeUpTo(limit, "platform_keys", sql`expires_at <= ${oldest.keyEndedAt}`),
    grants: sql`DELETE FROM oauth_grants WHERE id IN
      (SELECT id FROM oauth_grants WHERE expires_at <= ${oldest.linkEndedAt} LIMIT ${limit}) RETURNING 1`,
    consents: sql`DELETE FROM oauth_consents WHERE (user_id, client_id, tenant_id) IN
      (SELECT user_id, client_id, tenant_id FROM oauth_consents WHERE used_at <= ${oldest.consentUsedAt}
        LIMIT ${limit}) RETURNING 1`,
    consentsWithoutUse: sql`DELETE FROM oauth_consents WHERE (user_id, client_id, tenant_id) IN
      (SELECT user_id, client_id, tenant_id FROM oauth_consents
        WHERE used_at IS NULL AND updated_at <= ${oldest.consentUsedAt} LIMIT ${limit}) RETURNING 1`,
    // Their ids begin with their time.
    alertMails: removeUpTo(limit, "alert_mails", sql`id < ${String(endedBefore)}`),
    // These tables have no rowid.
    deadLetters: sql`DELETE FROM dead_letters WHERE (hour, queue) IN
      (SELECT hour, queue FROM dead_letters WHERE hour <= ${oldest.deviceSeenAt} LIMIT ${limit}) RETURNING 1`,
    mailCodes: sql`DELETE FROM mail_codes WHERE id IN
      (SELECT id FROM mail_codes WHERE id < ${firstIdAt(endedBefore)} LIMIT ${limit}) RETURNING 1`,
    devices: sql`DELETE FROM known_devices WHERE (user_id, key) IN
      (SELECT user_id, key FROM known_devices WHERE last_seen_at <= ${oldest.deviceSeenAt} LIMIT ${limit}) RETURNING 1`,
    // They last a day at most, so the id leads to few that have not ended for long.
    portalLinks: sql`DELETE FROM portal_links WHERE id IN (SELECT id FROM portal_links
      WHERE id < ${firstIdAt(oldest.portalEndedAt)} AND expires_at <= ${oldest.portalEndedAt} LIMIT ${limit})
      RETURNING 1`,
    revocations: sql`DELETE FROM revocations WHERE (at, key) IN
      (SELECT at, key FROM revocations WHERE at < ${Math.floor(oldest.revokedAt / 1000)} LIMIT ${limit}) RETURNING 1`,
    signers: sql`DELETE FROM token_signers WHERE retired_at <= ${oldest.signerRetiredAt}
      AND NOT (private_sealed IS NOT NULL AND kid IN (SELECT kid FROM token_signers WHERE retired_at IS NULL))
      RETURNING 1`,
    usedStates: sql`DELETE FROM used_states WHERE id IN
      (SELECT id FROM used_states WHERE id < ${String(oldest.stateExpiredAt)} LIMIT ${limit}) RETURNING 1`,
  });
  return Object.values(removed).reduce((sum, { length }) => sum + length, 0);
}
