/** What a mailbox proves, in D1. Only hashes of tokens are kept; a token is found across tenants. */
import { and, eq, sql } from "drizzle-orm";
import { atomically } from "../db/client";
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

/** Stores the hash of a verification token and tells the address to mail it to; null when there is nothing to verify. */
export async function insertVerificationToken(
  { db }: Deps,
  userId: string,
  token: NewToken,
  nowMs: number,
): Promise<Recipient | null> {
  const [, rows] = await atomically(db, [
    sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'verify', id, ${nowMs}, ${token.expiresAt} FROM users WHERE id = ${userId} AND email_verified_at IS NULL`,
    sql`SELECT email, name FROM users WHERE id = ${userId} AND email_verified_at IS NULL`,
  ]);
  return (rows as Recipient[])[0] ?? null;
}

/** Marks the address verified if the token is good. `already`: the token is known and the user was verified before. */
export async function verifyEmailByToken(
  { db }: Deps,
  hash: string,
  nowMs: number,
): Promise<"verified" | "already" | "invalid"> {
  const token = sql`SELECT subject_id FROM email_tokens WHERE hash = ${hash} AND purpose = 'verify'`;
  const [known, updated] = await db.batch([
    db
      .select({ verifiedAt: users.emailVerifiedAt })
      .from(emailTokens)
      .innerJoin(users, eq(users.id, emailTokens.subjectId))
      .where(and(eq(emailTokens.hash, hash), eq(emailTokens.purpose, "verify"))),
    db
      .update(users)
      .set({ emailVerifiedAt: nowMs })
      .where(sql`email_verified_at IS NULL AND id = (${token} AND expires_at > ${nowMs})`)
      .returning({ id: users.id }),
  ]);
  if (updated.length === 1) return "verified";
  return known[0]?.verifiedAt ? "already" : "invalid";
}

/** True for the one caller that may send the next verification mail: at most one per `intervalMs`. */
export async function claimVerificationMail(
  { db }: Deps,
  userId: string,
  nowMs: number,
  intervalMs: number,
): Promise<boolean> {
  const rows = await db
    .update(users)
    .set({ verificationMailedAt: nowMs })
    .where(
      and(
        eq(users.id, userId),
        sql`email_verified_at IS NULL AND (verification_mailed_at IS NULL OR verification_mailed_at <= ${nowMs - intervalMs})`,
      ),
    )
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Notes that a verification mail goes out now. False when the address is verified. */
export async function noteVerificationMail({ db }: Deps, userId: string, nowMs: number): Promise<boolean> {
  const rows = await db
    .update(users)
    .set({ verificationMailedAt: nowMs })
    .where(sql`id = ${userId} AND email_verified_at IS NULL`)
    .returning({ id: users.id });
  return rows.length === 1;
}

/** Stores the hash of a reset token in place of older ones; null when no account has the email. */
export async function insertResetTokenByEmail(
  { db }: Deps,
  email: string,
  token: NewToken,
  nowMs: number,
): Promise<Recipient | null> {
  const user = sql`SELECT id FROM users WHERE email = ${email}`;
  const [, , rows] = await atomically(db, [
    sql`DELETE FROM email_tokens WHERE purpose = 'reset' AND used_at IS NULL AND subject_id = (${user})`,
    sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'reset', id, ${nowMs}, ${token.expiresAt} FROM users WHERE email = ${email}`,
    sql`SELECT email, name FROM users WHERE email = ${email}`,
  ]);
  return (rows as Recipient[])[0] ?? null;
}

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
 * Uses the token up, sets the password, verifies the address and ends every session, in one transaction. Of an account
 * that was not verified before, API keys and second factor end too: somebody else may have registered the address.
 * False when the token had been used or replaced meanwhile.
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
  const results = await atomically(db, [
    sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE user_id = ${userId} AND revoked_at IS NULL AND ${live} AND ${unproven}`,
    sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${live} AND ${unproven}`,
    sql`UPDATE users SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_last_step = 0
      WHERE id = ${userId} AND email_verified_at IS NULL AND ${live}`,
    sql`UPDATE users SET password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, ${nowMs})
      WHERE id = ${userId} AND ${live}`,
    sql`DELETE FROM sessions WHERE user_id = ${userId} AND ${live}`,
    sql`UPDATE email_tokens SET used_at = ${nowMs} WHERE hash = ${hash} AND ${live} RETURNING hash`,
  ]);
  return results[5]?.length === 1;
}

export async function findCredentialsOfUser({ db }: Deps, userId: string) {
  const [row] = await db
    .select({ email: users.email, name: users.name, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  return row;
}

/** Sets the password, ends every other session and open resets. False when the password changed since it was read. */
export async function changePasswordOfUser(
  { db }: Deps,
  change: { userId: string; keepSessionId: string; oldHash: string; newHash: string },
): Promise<boolean> {
  const { userId, keepSessionId, oldHash, newHash } = change;
  const changed = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${newHash})`;
  const [updated] = await atomically(db, [
    sql`UPDATE users SET password_hash = ${newHash} WHERE id = ${userId} AND password_hash = ${oldHash} RETURNING id`,
    sql`DELETE FROM sessions WHERE user_id = ${userId} AND id IS NOT ${keepSessionId} AND ${changed}`,
    sql`DELETE FROM email_tokens WHERE subject_id = ${userId} AND purpose = 'reset' AND ${changed}`,
  ]);
  return updated?.length === 1;
}
