/**
 * Removing a lost second factor with a mailed link, in D1. Tokens are found across tenants, because nobody is signed
 * in.
 */
import { sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { Locale } from "../../base/schemas/locales";
import { auditOfLink, holderOfToken } from "../../tenancy/audit/record-store";
import type { MailedToken } from "../accounts/verification-store";
import { endPortalLinks } from "../tokens/portal-links-store";
import { endSessionsAndApps } from "../tokens/revocations-store";
import { stateOfFactor } from "../two-factor/store";

interface RemovalRecipient {
  email: string;
  name: string | null;
  locale: Locale | null;
  emailVerifiedAt: number | null;
}

/**
 * Stores the hash of a token that removes the present second factor of a user. Returns where to mail it; null without a
 * second factor.
 */
export async function insertRemovalToken(
  { db }: Deps,
  userId: string,
  token: MailedToken,
  nowMs: number,
): Promise<RemovalRecipient | null> {
  const enrolled = sql`FROM users WHERE id = ${userId} AND totp_enabled_at IS NOT NULL`;
  const { found } = await atomically(db, {
    // A repeated mail has the same token, which becomes valid for the full time again unless it was used.
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, action, created_at, expires_at)
      SELECT ${token.hash}, 'remove-factor', id, json_object('enrolmentId', totp_enrolment_id), ${nowMs},
        ${token.expiresAt} ${enrolled}
      ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`,
    found: rows<RemovalRecipient>(sql`SELECT email, name, locale, email_verified_at AS emailVerifiedAt ${enrolled}`),
  });
  return found[0] ?? null;
}

/** Selects the token if it is valid, and its user if they still have the second factor that the token is for. */
const live = (hash: string, nowMs: number) => sql`FROM email_tokens t JOIN users u ON u.id = t.subject_id
  WHERE t.hash = ${hash} AND t.purpose = 'remove-factor' AND t.used_at IS NULL AND t.expires_at > ${nowMs}
    AND u.totp_enabled_at IS NOT NULL AND u.totp_enrolment_id = t.action ->> 'enrolmentId'`;

/**
 * Returns the user of a token; undefined if it is used, expired, or for a second factor that the user no longer has.
 * Changes nothing.
 */
export async function findRemovalByToken({ db }: Deps, hash: string, nowMs: number): Promise<string | undefined> {
  const found = await queryFirst<{ userId: string }>(db)`SELECT u.id AS userId ${live(hash, nowMs)}`;
  return found?.userId;
}

/**
 * Uses a token: removes the second factor with its recovery codes, and ends every session. Stores what the link of the
 * notice restores. Of several parallel uses, one returns true.
 */
export async function removeFactorByToken(
  { db }: Deps,
  { hash, userId, revert, origin }: { hash: string; userId: string; revert: NewRevert; origin: RequestOrigin },
  nowMs: number,
): Promise<boolean> {
  const isDone = sql`EXISTS (SELECT 1 FROM email_tokens WHERE hash = ${revert.hash})`;
  const { removed } = await atomically(db, {
    // First: it keeps what the other statements remove, and they take effect only if it was written.
    revert: insertRevert(revert, userId, "twoFactorOff", {
      state: stateOfFactor(nowMs, null),
      condition: sql`EXISTS (SELECT 1 ${live(hash, nowMs)} AND t.subject_id = ${userId})`,
    }),
    removed: sql`UPDATE users SET totp_secret_encrypted = NULL, totp_enrolment_id = NULL, totp_enabled_at = NULL,
      totp_last_step = 0
      WHERE id = ${userId} AND ${isDone} RETURNING id`,
    recorded: auditOfLink("auth.2fa_removed", userId, origin),
    codes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${isDone}`,
    sessions: endSessionsAndApps(sql`user_id = ${userId} AND ${isDone}`, "own", nowMs),
    portalLinks: endPortalLinks(
      userId,
      isDone,
      { actor: holderOfToken(sql`${userId}`, origin), reason: "2fa-removed" },
      nowMs,
    ),
    used: sql`UPDATE email_tokens SET used_at = ${nowMs}, action = NULL
      WHERE subject_id = ${userId} AND purpose = 'remove-factor' AND used_at IS NULL AND ${isDone}`,
  });
  return removed.length === 1;
}
