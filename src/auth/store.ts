/** D1 behind sign-in. Functions named `...ByEmail` and `...ByToken` look across tenants: nobody is known yet. */
import { and, eq, gt, sql } from "drizzle-orm";
import type { AccessClaims } from "../crypto/jwt";
import { atomically } from "../db/client";
import { emailTokens, memberships, sessions, tenants, users } from "../db/schema";
import type { Deps } from "../deps";
import type { Role } from "../tenants/roles";
import type { Device } from "./device";

export interface NewAccount {
  userId: string;
  email: string;
  name: string | null;
  passwordHash: string;
  tenantId: string;
  tenantName: string;
  role: Role;
}

export interface NewSession extends Device {
  id: string;
  userId: string;
  tenantId: string;
  refreshTokenHash: string;
  expiresAt: number;
}

/** Writes tenant, user, membership and first session, or nothing. Throws on a taken email. */
export async function insertAccount(
  { db }: Deps,
  account: NewAccount,
  session: NewSession,
  nowMs: number,
): Promise<void> {
  const { userId, tenantId } = account;
  await db.batch([
    db.insert(tenants).values({ id: tenantId, name: account.tenantName, createdAt: nowMs }),
    db.insert(users).values({
      id: userId,
      email: account.email,
      name: account.name,
      passwordHash: account.passwordHash,
      createdAt: nowMs,
    }),
    db.insert(memberships).values({ tenantId, userId, role: account.role, createdAt: nowMs }),
    insertSession(db, session, nowMs),
  ]);
}

export async function openSession({ db }: Deps, session: NewSession, nowMs: number): Promise<void> {
  await insertSession(db, session, nowMs);
}

const insertSession = (db: Deps["db"], session: NewSession, nowMs: number) =>
  db.insert(sessions).values({ ...session, generation: 1, rotatedAt: nowMs, createdAt: nowMs, lastActivityAt: nowMs });

/** The account behind an email, with the tenant joined last; across tenants: login knows none. */
export async function findAccountByEmail({ db }: Deps, email: string) {
  const [row] = await db
    .select({
      userId: users.id,
      passwordHash: users.passwordHash,
      emailVerifiedAt: users.emailVerifiedAt,
      tenantId: memberships.tenantId,
    })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.email, email))
    .orderBy(sql`${memberships.createdAt} DESC`)
    .limit(1);
  return row;
}

/** The session of an access token, if it still lives and the user is still a member of its tenant. */
export async function findLiveSession({ db }: Deps, claims: AccessClaims, nowMs: number) {
  const [row] = await db
    .select({ role: memberships.role, lastActivityAt: sessions.lastActivityAt })
    .from(sessions)
    .innerJoin(memberships, and(eq(memberships.tenantId, sessions.tenantId), eq(memberships.userId, sessions.userId)))
    .where(
      and(
        eq(sessions.id, claims.sessionId),
        eq(sessions.tenantId, claims.tenantId),
        eq(sessions.userId, claims.userId),
        gt(sessions.expiresAt, nowMs),
      ),
    );
  return row;
}

export async function touchSession({ db }: Deps, claims: AccessClaims, nowMs: number): Promise<void> {
  await db
    .update(sessions)
    .set({ lastActivityAt: nowMs })
    .where(and(eq(sessions.id, claims.sessionId), eq(sessions.tenantId, claims.tenantId)));
}

/** User and tenant as `GET /auth/me` shows them. */
export async function findProfile({ db }: Deps, tenantId: string, userId: string) {
  const [row] = await db
    .select({
      email: users.email,
      name: users.name,
      emailVerifiedAt: users.emailVerifiedAt,
      totpEnabledAt: users.totpEnabledAt,
      createdAt: users.createdAt,
      tenantName: tenants.name,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(tenants, eq(tenants.id, memberships.tenantId))
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)));
  return row;
}

/** Stores the hash of a verification token and tells the address to mail it to; null when there is nothing to verify. */
export async function insertVerificationToken(
  { db }: Deps,
  userId: string,
  token: { hash: string; expiresAt: number },
  nowMs: number,
): Promise<{ email: string; name: string | null } | null> {
  const [, rows] = await atomically(db, [
    sql`INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
      SELECT ${token.hash}, 'verify', id, ${nowMs}, ${token.expiresAt} FROM users WHERE id = ${userId} AND email_verified_at IS NULL`,
    sql`SELECT email, name FROM users WHERE id = ${userId} AND email_verified_at IS NULL`,
  ]);
  return (rows as { email: string; name: string | null }[])[0] ?? null;
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
