/** Email verification in D1. Tokens are stored as hashes and found across tenants. */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { Locale } from "../../base/schemas/locales";
import type { ProviderName } from "../../base/schemas/schemas";
import { auditEach, auditOfUser, holderOfToken, tenantOfAccount } from "../../tenancy/audit/record-store";
import { opensByMail } from "../passwords/off";

export interface MailedToken {
  hash: string;
  expiresAt: number;
}

export interface Recipient {
  email: string;
  /** Null for an unverified address: its owner may not have chosen the name. */
  name: string | null;
  locale: Locale | null;
}

/** What the owner of an address is told about who registered it. */
export interface Registrant {
  email: string;
  locale: Locale | null;
  /** Unix ms. */
  createdAt: number;
  /** "Firefox on Linux, Lisbon, PT". */
  createdFrom: string | null;
  /** The provider of its first sign-in; null if none was used. */
  provider: ProviderName | null;
  /** 1: the account was created with a passkey. */
  hasPasskey: 0 | 1;
}

/**
 * Stores the hash of a verification token and returns where to mail the token; null when there is nothing to verify.
 */
export async function insertVerificationToken(
  { db }: Deps,
  userId: string,
  token: MailedToken,
  nowMs: number,
): Promise<Registrant | null> {
  const unverified = sql`FROM users WHERE id = ${userId} AND email_verified_at IS NULL`;
  const { found } = await atomically(db, {
    // A repeated mail has the same token, which becomes valid for the full time again.
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'verify', id, ${nowMs}, ${token.expiresAt} ${unverified}
      ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`,
    found: rows<Registrant>(sql`SELECT email, locale, created_at AS createdAt, created_from AS createdFrom,
        (SELECT provider FROM identities WHERE user_id = users.id ORDER BY created_at LIMIT 1) AS provider,
        EXISTS (SELECT 1 FROM passkeys WHERE user_id = users.id) AS hasPasskey
      ${unverified}`),
  });
  return found[0] ?? null;
}

/**
 * Marks the address as verified if the token is valid. `already`: the token is known and the address was verified
 * before. Unless the user themselves holds a session (`holderId`), identities and passkeys go: whoever registered with
 * them may not own the address. Passkeys stay where mails open no account, because its owner could not get in again.
 */
export async function verifyEmailByToken(
  { db, config }: Deps,
  { hash, origin, holderId }: { hash: string; origin: RequestOrigin; holderId: string | null },
  nowMs: number,
): Promise<"verified" | "already" | "invalid"> {
  const token = sql`FROM email_tokens t WHERE t.hash = ${hash} AND t.purpose = 'verify'`;
  const userId = sql`(SELECT t.subject_id ${token})`;
  const unverified = sql`SELECT u.id FROM users u WHERE u.email_verified_at IS NULL
    AND u.id = (SELECT t.subject_id ${token} AND t.expires_at > ${nowMs})`;
  // Whoever registered the account may not own the mailbox, and must not learn where its owner is.
  const own = (value: string | null) => sql`iif(${userId} IS ${holderId}, ${value}, NULL)`;
  const actor = { ...holderOfToken(userId, origin), ip: own(origin.ip), userAgent: own(origin.userAgent) };
  const ofStranger = sql`user_id = (${unverified}) AND user_id IS NOT ${holderId}`;
  const identities = sql`identities WHERE ${ofStranger}`;
  const passkeys = sql`passkeys WHERE ${ofStranger} AND ${opensByMail(config) ? 1 : 0}`;
  const ended = { tenantId: tenantOfAccount(userId), actor, meta: { reason: "email-verified" } };
  const { known, updated } = await atomically(db, {
    // First, to tell whether the address was verified before.
    known: rows<{ verifiedAt: number | null }>(
      sql`SELECT email_verified_at AS verifiedAt FROM users WHERE id = ${userId}`,
    ),
    unlinked: auditEach(
      { ...ended, action: "auth.identity_unlinked", target: { kind: "identity", id: sql`identities.id` } },
      identities,
      nowMs,
    ),
    removed: auditEach(
      { ...ended, action: "auth.passkey_removed", target: { kind: "user", id: userId } },
      passkeys,
      nowMs,
    ),
    // Before the update: they ask whether the address is unverified.
    identities: sql`DELETE FROM ${identities}`,
    passkeys: sql`DELETE FROM ${passkeys}`,
    updated: sql`UPDATE users SET email_verified_at = ${nowMs} WHERE id = (${unverified}) RETURNING id`,
    recorded: auditOfUser("auth.email_verified", { tenantId: tenantOfAccount(userId), userId, actor }),
  });
  if (updated.length === 1) return "verified";
  return known[0]?.verifiedAt ? "already" : "invalid";
}

/** Returns true for the one caller that may send the next verification mail: at most one per `intervalMs`. */
export async function claimVerificationMail(
  { db }: Deps,
  userId: string,
  nowMs: number,
  intervalMs: number,
): Promise<boolean> {
  const updated = await query(db)`UPDATE users SET verification_mailed_at = ${nowMs}
    WHERE id = ${userId} AND email_verified_at IS NULL
      AND (verification_mailed_at IS NULL OR verification_mailed_at <= ${nowMs - intervalMs}) RETURNING id`;
  return updated.length === 1;
}

/** Records that a verification mail is sent now. Returns false when the address is already verified. */
export async function recordVerificationMail({ db }: Deps, userId: string, nowMs: number): Promise<boolean> {
  const updated = await query(db)`UPDATE users SET verification_mailed_at = ${nowMs}
    WHERE id = ${userId} AND email_verified_at IS NULL RETURNING id`;
  return updated.length === 1;
}
