/** Email verification and passwords in D1. Tokens are stored as hashes and found across tenants. */
import { and, eq, sql } from "drizzle-orm";
import { atomically, rows } from "../db/client";
import { emailTokens, users } from "../db/schema";
import type { Deps } from "../deps";

export interface NewToken {
  hash: string;
  expiresAt: number;
}

export interface Recipient {
  email: string;
  name: string | null;
}

/** Stores the hash of a verification token and returns where to mail the token; null when there is nothing to verify. */
export async function insertVerificationToken(
  { db }: Deps,
  userId: string,
  token: NewToken,
  nowMs: number,
): Promise<Recipient | null> {
  const unverified = sql`FROM users WHERE id = ${userId} AND email_verified_at IS NULL`;
  const { found } = await atomically(db, {
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'verify', id, ${nowMs}, ${token.expiresAt} ${unverified}`,
    found: rows<Recipient>(sql`SELECT email, name ${unverified}`),
  });
  return found[0] ?? null;
}

/** Marks the address verified if the token is good. `already`: the token is known and its user was verified before. */
export async function verifyEmailByToken(
  { db }: Deps,
  hash: string,
  nowMs: number,
): Promise<"verified" | "already" | "invalid"> {
  const token = sql`FROM email_tokens t WHERE t.hash = ${hash} AND t.purpose = 'verify'`;
  const { known, updated } = await atomically(db, {
    // First: it tells whether the address was verified before.
    known: rows<{ verifiedAt: number | null }>(
      sql`SELECT email_verified_at AS verifiedAt FROM users WHERE id = (SELECT t.subject_id ${token})`,
    ),
    updated: sql`UPDATE users SET email_verified_at = ${nowMs}
      WHERE email_verified_at IS NULL AND id = (SELECT t.subject_id ${token} AND t.expires_at > ${nowMs}) RETURNING id`,
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
  const updated = await db
    .update(users)
    .set({ verificationMailedAt: nowMs })
    .where(
      and(
        eq(users.id, userId),
        sql`email_verified_at IS NULL AND (verification_mailed_at IS NULL OR verification_mailed_at <= ${nowMs - intervalMs})`,
      ),
    )
    .returning({ id: users.id });
  return updated.length === 1;
}

/** Records that a verification mail is sent now. Returns false when the address is already verified. */
export async function recordVerificationMail({ db }: Deps, userId: string, nowMs: number): Promise<boolean> {
  const updated = await db
    .update(users)
    .set({ verificationMailedAt: nowMs })
    .where(sql`id = ${userId} AND email_verified_at IS NULL`)
    .returning({ id: users.id });
  return updated.length === 1;
}

/** Stores the hash of a reset token and removes older unused ones. Returns where to mail the token; null when no account has the email. */
export async function insertResetTokenByEmail(
  { db }: Deps,
  email: string,
  token: NewToken,
  nowMs: number,
): Promise<Recipient | null> {
  const user = sql`SELECT id FROM users WHERE email = ${email}`;
  const { found } = await atomically(db, {
    // First: it would remove the new one too.
    removed: sql`DELETE FROM email_tokens WHERE purpose = 'reset' AND used_at IS NULL AND subject_id = (${user})`,
    inserted: sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'reset', id, ${nowMs}, ${token.expiresAt} FROM users WHERE email = ${email}`,
    found: rows<Recipient>(sql`SELECT email, name FROM users WHERE email = ${email}`),
  });
  return found[0] ?? null;
}

/** The reset token with this hash, used or expired ones included. */
export async function findResetByToken({ db }: Deps, hash: string) {
  const [row] = await db
    .select({
      expiresAt: emailTokens.expiresAt,
      usedAt: emailTokens.usedAt,
      userId: users.id,
      email: users.email,
    })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.subjectId))
    .where(and(eq(emailTokens.hash, hash), eq(emailTokens.purpose, "reset")));
  return row;
}

/**
 * Uses the token, sets the password, verifies the address and ends every session, in one transaction. If the address was not verified
 * before, somebody else may have registered it: then API keys and the second factor end too. Returns false when the token was used or
 * replaced in the meantime.
 */
export async function resetPasswordByToken(
  { db }: Deps,
  reset: { hash: string; userId: string; passwordHash: string },
  nowMs: number,
): Promise<boolean> {
  const { hash, userId, passwordHash } = reset;
  const live = sql`EXISTS (SELECT 1 FROM email_tokens WHERE hash = ${hash} AND purpose = 'reset'
    AND subject_id = ${userId} AND used_at IS NULL AND expires_at > ${nowMs})`;
  const unproven = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)`;
  const { used } = await atomically(db, {
    apiKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE user_id = ${userId} AND revoked_at IS NULL AND ${live} AND ${unproven}`,
    recoveryCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${live} AND ${unproven}`,
    secondFactor: sql`UPDATE users SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_last_step = 0
      WHERE id = ${userId} AND email_verified_at IS NULL AND ${live}`,
    // After the statements that ask whether the address was verified before.
    password: sql`UPDATE users SET password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, ${nowMs})
      WHERE id = ${userId} AND ${live}`,
    sessions: sql`DELETE FROM sessions WHERE user_id = ${userId} AND ${live}`,
    // Last: the statements above ask whether the token is unused.
    used: sql`UPDATE email_tokens SET used_at = ${nowMs} WHERE hash = ${hash} AND ${live} RETURNING hash`,
  });
  return used.length === 1;
}

/** The address, name and password hash of a user. */
export async function findCredentialsOfUser({ db }: Deps, userId: string) {
  const [row] = await db
    .select({ email: users.email, name: users.name, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

/** Sets the password, ends every other session and removes reset tokens. Returns false when the password changed since it was read. */
export async function changePasswordOfUser(
  { db }: Deps,
  change: { userId: string; keepSessionId: string; oldHash: string; newHash: string },
): Promise<boolean> {
  const { userId, keepSessionId, oldHash, newHash } = change;
  const changed = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${newHash})`;
  const { updated } = await atomically(db, {
    // First: the others ask whether it took effect.
    updated: sql`UPDATE users SET password_hash = ${newHash} WHERE id = ${userId} AND password_hash = ${oldHash} RETURNING id`,
    sessions: sql`DELETE FROM sessions WHERE user_id = ${userId} AND id <> ${keepSessionId} AND ${changed}`,
    tokens: sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND purpose = 'reset' AND ${changed}`,
  });
  return updated.length === 1;
}
