/** Sessions in D1. A person's sessions are theirs in every tenant: functions that span tenants say `OfUser` or `ByToken`. */
import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { AccessClaims } from "../crypto/jwt";
import { atomically } from "../db/client";
import { memberships, sessions, tenants, users } from "../db/schema";
import type { Deps } from "../deps";
import type { Device } from "./device";

export interface NewSession extends Device {
  id: string;
  userId: string;
  tenantId: string;
  refreshTokenHash: string;
  expiresAt: number;
}

/** What must still be true of the user when the session is written. */
export interface Grounds {
  /** The hash that the password was checked against: a reset in between ends the login. */
  passwordHash: string;
  /** The condition that stands for a second factor; null when none was shown. */
  factor: SQL | null;
}

/**
 * The only INSERT of a session there is. It writes nothing for a user with two factors unless the factor holds, nor for
 * one who is not a member of the tenant.
 */
export function mintSession(session: NewSession, grounds: Grounds, nowMs: number): SQL {
  const { id, tenantId, userId, refreshTokenHash } = session;
  return sql`INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, device_name, browser,
      operating_system, platform, ip_address, location, created_at, expires_at, last_activity_at)
    SELECT ${id}, u.id, m.tenant_id, 1, ${refreshTokenHash}, ${nowMs}, ${session.deviceName}, ${session.browser},
      ${session.operatingSystem}, ${session.platform}, ${session.ipAddress}, ${session.location}, ${nowMs}, ${session.expiresAt}, ${nowMs}
    FROM users u JOIN memberships m ON m.user_id = u.id
    WHERE u.id = ${userId} AND m.tenant_id = ${tenantId} AND u.password_hash = ${grounds.passwordHash}
      AND (u.totp_enabled_at IS NULL OR ${grounds.factor ?? sql`0`})
    RETURNING id`;
}

const live = (claims: AccessClaims, nowMs: number) =>
  and(
    eq(sessions.id, claims.sessionId),
    eq(sessions.tenantId, claims.tenantId),
    eq(sessions.userId, claims.userId),
    gt(sessions.expiresAt, nowMs),
  );

const itsMembership = and(eq(memberships.tenantId, sessions.tenantId), eq(memberships.userId, sessions.userId));

/** What a session says of whoever holds it, now. */
export interface LiveSession {
  role: string;
  lastActivityAt: number;
}

/** The session of an access token, if it still lives and the user is still a member of its tenant. */
export async function findLiveSession(
  { db }: Deps,
  claims: AccessClaims,
  nowMs: number,
): Promise<LiveSession | undefined> {
  const [row] = await db
    .select({ role: memberships.role, lastActivityAt: sessions.lastActivityAt })
    .from(sessions)
    .innerJoin(memberships, itsMembership)
    .where(live(claims, nowMs));
  return row;
}

/** The same, with the names that every page of the console shows. */
export async function findVisitor({ db }: Deps, claims: AccessClaims, nowMs: number) {
  const [row] = await db
    .select({
      role: memberships.role,
      lastActivityAt: sessions.lastActivityAt,
      email: users.email,
      name: users.name,
      emailVerifiedAt: users.emailVerifiedAt,
      totpEnabledAt: users.totpEnabledAt,
      tenantName: tenants.name,
    })
    .from(sessions)
    .innerJoin(memberships, itsMembership)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(tenants, eq(tenants.id, sessions.tenantId))
    .where(live(claims, nowMs));
  return row;
}

export async function touchSession({ db }: Deps, claims: AccessClaims, nowMs: number): Promise<void> {
  await db
    .update(sessions)
    .set({ lastActivityAt: nowMs })
    .where(and(eq(sessions.id, claims.sessionId), eq(sessions.tenantId, claims.tenantId)));
}

export interface Rotation {
  sessionId: string;
  /** Of the token that came in. */
  generation: number;
  tokenHash: string;
  nextTokenHash: string;
  keyHash: string | null;
  idleMs: number;
  maxMs: number;
}

export interface StoredRotation {
  userId: string;
  tenantId: string;
  generation: number;
  refreshTokenHash: string;
  rotatedAt: number;
  rotationKeyHash: string | null;
  expiresAt: number;
}

/** Takes one generation to the next if the token is the current one, and tells the session as it stands then. */
export async function rotateByToken(
  { db }: Deps,
  rotation: Rotation,
  nowMs: number,
): Promise<{ rotated: boolean; session: StoredRotation | undefined }> {
  const { sessionId, generation, tokenHash } = rotation;
  const [updated, rows] = await atomically(db, [
    sql`UPDATE sessions SET generation = generation + 1, refresh_token_hash = ${rotation.nextTokenHash}, rotated_at = ${nowMs},
        rotation_key_hash = ${rotation.keyHash}, last_activity_at = ${nowMs},
        expires_at = min(${nowMs + rotation.idleMs}, created_at + ${rotation.maxMs})
      WHERE id = ${sessionId} AND generation = ${generation} AND refresh_token_hash = ${tokenHash} AND expires_at > ${nowMs}
      RETURNING id`,
    sql`SELECT user_id AS userId, tenant_id AS tenantId, generation, refresh_token_hash AS refreshTokenHash,
        rotated_at AS rotatedAt, rotation_key_hash AS rotationKeyHash, expires_at AS expiresAt
      FROM sessions WHERE id = ${sessionId}`,
  ]);
  return { rotated: updated?.length === 1, session: (rows as StoredRotation[])[0] };
}

export async function deleteSessionByToken({ db }: Deps, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}

/** All sessions of a person, in every tenant, oldest first. */
export function listSessionsOfUser({ db }: Deps, userId: string, nowMs: number) {
  return db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, nowMs)))
    .orderBy(asc(sessions.createdAt), asc(sessions.id));
}

/** False when it is not a session of this person. */
export async function deleteSessionOfUser({ db }: Deps, userId: string, id: string): Promise<boolean> {
  const rows = await db
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
    .returning({ id: sessions.id });
  return rows.length === 1;
}

export async function deleteAllSessionsOfUser({ db }: Deps, userId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.userId, userId));
}
