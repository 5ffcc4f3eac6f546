/** Passwords in D1. Reset tokens are found across tenants, because nobody is signed in yet. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { EndedAccess, ListedCredential } from "../../base/mail/job";
import { insertPasswordReverts, type NewRevert } from "../../base/mail/revert-store";
import type { Actor, RequestOrigin } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import {
  auditEach,
  auditOfLink,
  auditOfUser,
  holderOfToken,
  strangerTo,
  tenantOfAccount,
} from "../../tenancy/audit/record-store";
import { endEmailChanges } from "../accounts/mailed-links-store";
import type { MailedToken, Recipient } from "../accounts/verification-store";
import { endedOf, reclaim, tenantsToLeave } from "../reclaim/reclaim-store";
import { endPortalLinks } from "../tokens/portal-links-store";
import { endSessionsAndApps } from "../tokens/revocations-store";
import { endCredentials } from "./credentials-store";

/**
 * Stores the hash of a reset token; older ones stay valid. Returns where to mail the token; null when no account has
 * the email.
 */
export async function insertResetTokenByEmail(
  { db }: Deps,
  email: string,
  token: MailedToken,
  /** The request that asked for it; null when no request did. */
  origin: RequestOrigin | null,
  nowMs: number,
): Promise<Recipient | null> {
  const { found } = await atomically(db, {
    // Before the token, so that a repeated mail is not recorded again.
    requested:
      origin === null
        ? undefined
        : auditEach(
            {
              tenantId: tenantOfAccount(sql`u.id`),
              action: "auth.password_reset_requested",
              actor: strangerTo(sql`u.id`, origin),
              target: { kind: "user", id: sql`u.id` },
            },
            sql`users u WHERE u.email = ${email} AND NOT EXISTS (SELECT 1 FROM email_tokens
              WHERE hash = ${token.hash})`,
            nowMs,
          ),
    // A repeated mail has the same token, which becomes valid for the full time again.
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'reset', id, ${nowMs}, ${token.expiresAt} FROM users WHERE email = ${email}
      ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`,
    found: rows<Recipient>(sql`SELECT email, locale, CASE WHEN email_verified_at IS NULL THEN NULL ELSE name END AS name
      FROM users WHERE email = ${email}`),
  });
  return found[0] ?? null;
}

interface StoredReset {
  userId: string;
  email: string;
  expiresAt: number;
  usedAt: number | null;
  /** JSON: see `tenantsToLeave`. */
  tenants: string;
}

/**
 * Returns the reset token with this hash, even if used or expired, and the tenants that its account leaves when it is
 * reclaimed.
 */
export async function findResetByToken({ db }: Deps, hash: string) {
  const reset = await queryFirst<StoredReset>(db)`SELECT u.id AS userId, u.email, t.expires_at AS expiresAt, t.used_at
    AS usedAt, ${tenantsToLeave} AS tenants
    FROM email_tokens t JOIN users u ON u.id = t.subject_id WHERE t.hash = ${hash} AND t.purpose = 'reset'`;
  return reset && { ...reset, tenants: JSON.parse(reset.tenants) as TenantRef[] };
}

export interface PasswordReset {
  hash: string;
  userId: string;
  passwordHash: string;
  revert: NewRevert;
  origin: RequestOrigin;
  /** Ends every API key, passkey and identity, and not only those from before the address was verified. */
  endCredentials: boolean;
}

/**
 * Uses up this and all other reset tokens of the user, sets the password, verifies the address and ends every session,
 * in one transaction. If the address was not verified before, it reclaims the account. If it was, API keys, passkeys
 * and identities from before end: whoever made them may not own the address. Returns null when the token was used in
 * the meantime; `ended` is undefined for an account that was not reclaimed.
 */
export async function resetPasswordByToken(
  { db }: Deps,
  { hash, userId, passwordHash, revert, origin, endCredentials: endsAll }: PasswordReset,
  nowMs: number,
): Promise<{ ended: EndedAccess | undefined; endedCredentials: ListedCredential[] } | null> {
  const live = sql`EXISTS (SELECT 1 FROM email_tokens WHERE hash = ${hash} AND purpose = 'reset'
    AND subject_id = ${userId} AND used_at IS NULL AND expires_at > ${nowMs})`;
  const verifiedAt = sql`(SELECT email_verified_at FROM users WHERE id = ${userId})`;
  const ends = (createdAt: SQL) =>
    sql`${live} AND ${endsAll ? sql`${verifiedAt} IS NOT NULL` : sql`${createdAt} < ${verifiedAt}`}`;
  const { ended, used, listed } = await atomically(db, {
    ...reclaim(userId, live, nowMs),
    // Before the password, with which the address counts as verified.
    ...endCredentials(userId, ends, { origin, reason: "password-reset" }, nowMs),
    // The owner of the mailbox has set a new password, so links that invalidate an older password must not work any
    // more.
    olderReverts: sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND purpose = 'undo'
      AND action ->> 'kind' IN ('password', 'signIn') AND ${live}`,
    ...insertPasswordReverts(revert, userId, live),
    emailChanges: endEmailChanges(sql`${userId}`, live),
    // After the reclaiming, which asks whether the address was verified before.
    password: sql`UPDATE users SET password_hash = ${passwordHash}, email_verified_by = NULL,
        email_verified_at = coalesce(email_verified_at, ${nowMs})
      WHERE id = ${userId} AND ${live}`,
    endedSessions: endSessionsAndApps(sql`user_id = ${userId} AND ${live}`, "all", nowMs),
    portalLinks: endPortalLinks(
      userId,
      live,
      { actor: holderOfToken(sql`${userId}`, origin), reason: "password-reset" },
      nowMs,
    ),
    // Last of the changes: the statements above ask whether the token is unused.
    used: sql`UPDATE email_tokens SET used_at = ${nowMs}
      WHERE subject_id = ${userId} AND purpose = 'reset' AND used_at IS NULL AND ${live} RETURNING hash`,
    // After the reclaiming: an event in a tenant that the user has left would inform strangers there.
    recorded: auditOfLink("auth.password_reset", userId, origin),
  });
  return used.length === 0 ? null : { ended: endedOf(ended), endedCredentials: listed };
}

export interface PasswordWrite {
  userId: string;
  tenantId: string;
  actor: Actor;
  keepSessionId: string;
  oldHash: string;
  newHash: string;
  revert: NewRevert;
}

/**
 * Sets the password, ends every other session and every portal link, and removes reset tokens. Returns false when the
 * password changed since it was read.
 */
export async function changePasswordOfUser({ db, now }: Deps, write: PasswordWrite): Promise<boolean> {
  const { userId, tenantId, actor, keepSessionId, oldHash, newHash, revert } = write;
  const changed = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${newHash})`;
  const { updated } = await atomically(db, {
    // First: the other statements ask whether it took effect.
    updated: sql`UPDATE users SET password_hash = ${newHash} WHERE id = ${userId} AND password_hash = ${oldHash}
      RETURNING id`,
    recorded: auditOfUser("auth.password_changed", { tenantId, userId, actor }),
    sessions: endSessionsAndApps(sql`user_id = ${userId} AND id <> ${keepSessionId} AND ${changed}`, "own", now()),
    portalLinks: endPortalLinks(userId, changed, { actor, reason: "password-changed" }, now()),
    tokens: sql`DELETE FROM email_tokens WHERE subject_id = ${userId}
      AND purpose IN ('reset', 'change-email') AND ${changed}`,
    ...insertPasswordReverts(revert, userId, changed),
  });
  return updated.length === 1;
}
