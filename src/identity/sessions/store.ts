/** Sessions in D1. A user has sessions in several tenants: functions that span tenants are named `...OfUser` or `...ByToken`. */
import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { AccessClaims } from "../../platform/crypto/jwt";
import { atomically, prepared, type Rows, rows } from "../../platform/db/client";
import { sessions } from "../../platform/db/schema";
import type { Deps } from "../../platform/deps";
import { type Actor, anonymous, type RequestOrigin } from "../../platform/schemas/actor";
import type { Device } from "../../platform/schemas/device";
import type { Account, SessionPrincipal } from "../../platform/schemas/principal";
import { auditEach, auditIfChanged, holderOfToken } from "../../tenancy/audit/record-store";
import { STORAGE_COLUMNS } from "../../tenancy/tenants/storage-store";
import { hasVerifiedOwner } from "../../tenancy/tenants/verified-store";
import type { DeviceKeys } from "./known-devices";

export interface NewSession extends Device {
  id: string;
  userId: string;
  deviceKeys: DeviceKeys;
  refreshTokenHash: string;
  expiresAt: number;
}

/** What must still hold for the user when the session is written. */
export interface SessionPreconditions {
  /** Null: the tenant that the user joined first. */
  tenantId: string | null;
  /** A condition on `users u` that holds while the user's credential, such as a password, is valid. */
  credential: SQL;
  /** A condition that holds while the second factor is unused; null when none was given. */
  factor: SQL | null;
}

/** Holds while the password has this hash: a password reset after the check therefore stops the login. */
export const passwordHolds = (passwordHash: string): SQL => sql`u.password_hash = ${passwordHash}`;

/** What the statement of `mintSession` returns: one row, or none when a precondition failed. */
export interface MintedSession {
  tenantId: string;
}

/**
 * The only INSERT of a session. It writes nothing for a user who is not a member of the tenant or is suspended, nor for one with two-factor
 * authentication unless the factor holds.
 */
export function mintSession(
  session: NewSession,
  preconditions: SessionPreconditions,
  nowMs: number,
): Rows<MintedSession> {
  const { id, userId, refreshTokenHash } = session;
  const { credential, factor } = preconditions;
  const tenantId =
    preconditions.tenantId ??
    sql`(SELECT tenant_id FROM memberships WHERE user_id = ${userId} ORDER BY created_at LIMIT 1)`;
  return rows(sql`INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, device_name, browser,
      operating_system, platform, ip_address, location, created_at, expires_at, last_activity_at)
    SELECT ${id}, u.id, m.tenant_id, 1, ${refreshTokenHash}, ${nowMs}, ${session.deviceName}, ${session.browser},
      ${session.operatingSystem}, ${session.platform}, ${session.ipAddress}, ${session.location}, ${nowMs}, ${session.expiresAt}, ${nowMs}
    FROM users u JOIN memberships m ON m.user_id = u.id
    WHERE u.id = ${userId} AND m.tenant_id = ${tenantId} AND ${credential} AND u.suspended_at IS NULL
      AND (u.totp_enabled_at IS NULL OR ${factor ?? sql`0`})
    RETURNING tenant_id AS tenantId`);
}

/** Ends the oldest sessions of a user beyond the newest `most`. */
export const endOldestSessions = (userId: string, most: number, nowMs: number): SQL =>
  sql`DELETE FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs} AND id NOT IN (
    SELECT id FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs} ORDER BY created_at DESC, id DESC LIMIT ${most})`;

/** Makes the session's tenant the one that its user's next login opens. Writes nothing if it is that tenant already. */
export const useTenant = (sessionId: string, nowMs: number): SQL => {
  const session = sql`(SELECT user_id FROM sessions WHERE id = ${sessionId})`;
  return sql`UPDATE memberships SET last_used_at = ${nowMs}
    WHERE user_id = ${session} AND tenant_id = (SELECT tenant_id FROM sessions WHERE id = ${sessionId})
      AND EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = ${session} AND o.tenant_id <> memberships.tenant_id
        AND o.last_used_at >= memberships.last_used_at)`;
};

/** A session that is about to move to another tenant. */
export interface SessionMove {
  sessionId: string;
  userId: string;
  /** Where it moves to. */
  tenantId: string;
}

/** Returns the session's present generation and expiry; undefined when the user is not a member of the tenant. */
export async function findSwitchable({ db }: Deps, { sessionId, userId, tenantId }: SessionMove) {
  const { found } = await atomically(db, {
    found: rows<{ generation: number; expiresAt: number }>(sql`SELECT s.generation, s.expires_at AS expiresAt
      FROM sessions s JOIN memberships m ON m.user_id = s.user_id AND m.tenant_id = ${tenantId}
      WHERE s.id = ${sessionId} AND s.user_id = ${userId}`),
  });
  return found[0];
}

/** Moves the session, with a new refresh token. Returns false if it was refreshed or the membership has ended since `findSwitchable`. */
export async function moveSession(
  { db }: Deps,
  move: SessionMove & { generation: number; nextTokenHash: string; actor: Actor },
  nowMs: number,
): Promise<boolean> {
  const { sessionId, userId, tenantId, generation, nextTokenHash, actor } = move;
  const { moved } = await atomically(db, {
    moved: sql`UPDATE sessions SET tenant_id = ${tenantId}, generation = generation + 1, refresh_token_hash = ${nextTokenHash},
        rotated_at = ${nowMs}, rotation_key_hash = NULL, last_activity_at = ${nowMs}
      WHERE id = ${sessionId} AND user_id = ${userId} AND generation = ${generation} AND expires_at > ${nowMs}
        AND EXISTS (SELECT 1 FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})
      RETURNING id`,
    recorded: auditIfChanged({
      tenantId,
      action: "auth.login",
      actor,
      target: { kind: "user", id: userId },
      meta: { via: "switch" },
    }),
    lastUsed: useTenant(sessionId, nowMs),
  });
  return moved.length === 1;
}

export interface LiveSession extends Account {
  role: string;
  shard: number;
  hasVerifiedOwner: 0 | 1;
  isTenantSuspended: 0 | 1;
  storedBytes: number;
  databaseBytes: number;
  lastActivityAt: number;
  confirmedAt: number;
}

const LIVE_SESSION = sql`m.role, s.last_activity_at AS lastActivityAt, coalesce(s.confirmed_at, s.created_at) AS confirmedAt, u.email, u.name, u.email_verified_at AS emailVerifiedAt,
    u.totp_enabled_at AS totpEnabledAt, u.created_at AS createdAt, t.name AS tenantName, m.alerts, t.shard, t.suspended_at IS NOT NULL AS isTenantSuspended,
    m.role = 'owner' AND u.email_verified_at IS NOT NULL OR ${hasVerifiedOwner(sql`s.tenant_id`)} AS hasVerifiedOwner,
    ${STORAGE_COLUMNS}`;

const OF_CLAIMS = sql`FROM sessions s JOIN memberships m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
    JOIN users u ON u.id = s.user_id JOIN tenants t ON t.id = s.tenant_id
  WHERE s.id = ${sql.placeholder("sessionId")} AND s.tenant_id = ${sql.placeholder("tenantId")}
    AND s.user_id = ${sql.placeholder("userId")} AND s.expires_at > ${sql.placeholder("nowMs")}`;

const liveSession = prepared<LiveSession>(sql`SELECT ${LIVE_SESSION} ${OF_CLAIMS}`);

/** The session of an access token with its user, if the session still exists and the user is still a member of its tenant. */
export async function findLiveSession(
  { db }: Deps,
  claims: AccessClaims,
  nowMs: number,
): Promise<LiveSession | undefined> {
  const [row] = await liveSession(db, { ...claims, nowMs });
  return row;
}

/** How many tenants the console's switcher offers. */
const MAX_LISTED_TENANTS = 50;

const liveConsoleSession = prepared<LiveSession & { tenants: string }>(sql`SELECT ${LIVE_SESSION},
    (SELECT json_group_array(json_object('id', mine.id, 'name', mine.name)) FROM (
      SELECT mt.id, mt.name FROM memberships mm JOIN tenants mt ON mt.id = mm.tenant_id
      WHERE mm.user_id = s.user_id ORDER BY mt.name, mt.id LIMIT ${sql.raw(String(MAX_LISTED_TENANTS))}) mine) AS tenants
  ${OF_CLAIMS}`);

/** The same for the console, with the user's tenants, by name. */
export async function findLiveConsoleSession({ db }: Deps, claims: AccessClaims, nowMs: number) {
  const [row] = await liveConsoleSession(db, { ...claims, nowMs });
  if (!row) return undefined;
  const { tenants, ...session } = row;
  return { session, tenants: JSON.parse(tenants) as { id: string; name: string }[] };
}

/** Records that the session was used at `nowMs`. */
export async function touchSession({ db }: Deps, claims: AccessClaims, nowMs: number): Promise<void> {
  await db
    .update(sessions)
    .set({ lastActivityAt: nowMs })
    .where(and(eq(sessions.id, claims.sessionId), eq(sessions.tenantId, claims.tenantId)));
}

export interface Rotation {
  sessionId: string;
  /** The generation of the token that was presented. */
  generation: number;
  tokenHash: string;
  nextTokenHash: string;
  keyHash: string | null;
  /** The device that presented the token; the session is listed with it from now on. */
  device: Device;
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
  ipAddress: string | null;
  deviceName: string | null;
}

/** Moves the session to the next generation if the token is the current one. Returns the session as it is afterwards. */
export async function rotateByToken(
  { db }: Deps,
  rotation: Rotation,
  nowMs: number,
): Promise<{ rotated: boolean; session: StoredRotation | undefined }> {
  const { sessionId, generation, tokenHash, device } = rotation;
  const { updated, stored } = await atomically(db, {
    updated: sql`UPDATE sessions SET generation = generation + 1, refresh_token_hash = ${rotation.nextTokenHash}, rotated_at = ${nowMs},
        rotation_key_hash = ${rotation.keyHash}, last_activity_at = ${nowMs},
        expires_at = min(${nowMs + rotation.idleMs}, created_at + ${rotation.maxMs}), device_name = ${device.deviceName},
        browser = ${device.browser}, operating_system = ${device.operatingSystem}, platform = ${device.platform},
        ip_address = ${device.ipAddress}, location = ${device.location}
      WHERE id = ${sessionId} AND generation = ${generation} AND refresh_token_hash = ${tokenHash} AND expires_at > ${nowMs}
      RETURNING id`,
    // After the update: it returns the expiry and the generation that the update has set.
    stored:
      rows<StoredRotation>(sql`SELECT user_id AS userId, tenant_id AS tenantId, generation, refresh_token_hash AS refreshTokenHash,
        rotated_at AS rotatedAt, rotation_key_hash AS rotationKeyHash, expires_at AS expiresAt, ip_address AS ipAddress,
        device_name AS deviceName
      FROM sessions WHERE id = ${sessionId}`),
  });
  return { rotated: updated.length === 1, session: stored[0] };
}

/** Deletes the session of a refresh token. A reuse is recorded without a user, who may be someone else. Returns false if it was deleted. */
export async function deleteSessionByToken(
  { db }: Deps,
  sessionId: string,
  action: "auth.logout" | "auth.refresh_reused",
  origin: RequestOrigin,
  nowMs: number,
): Promise<boolean> {
  const actor =
    action === "auth.logout"
      ? { ...holderOfToken(sql`s.user_id`, origin), sessionId }
      : { ...anonymous(origin), sessionId };
  const target = { kind: "user", id: sql`s.user_id` } as const;
  const { deleted } = await atomically(db, {
    // First, because it reads the session.
    recorded: auditEach(
      { tenantId: sql`s.tenant_id`, action, actor, target },
      sql`sessions s WHERE s.id = ${sessionId}`,
      nowMs,
    ),
    deleted: sql`DELETE FROM sessions WHERE id = ${sessionId} RETURNING id`,
  });
  return deleted.length === 1;
}

/** The live sessions of a user in all tenants, oldest first. */
export function listSessionsOfUser({ db }: Deps, userId: string, nowMs: number) {
  return db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, nowMs)))
    .orderBy(asc(sessions.createdAt), asc(sessions.id));
}

/** A user who ends sessions of their own, in any tenant. */
type Owner = Pick<SessionPrincipal, "userId" | "tenantId" | "actor">;

/** Ends a session of a user. Returns false when the user has no such session. */
export async function deleteSessionOfUser(
  { db }: Deps,
  { userId, tenantId, actor }: Owner,
  id: string,
  action: "auth.logout" | "session.revoked",
): Promise<boolean> {
  const target =
    action === "auth.logout" ? ({ kind: "user", id: userId } as const) : ({ kind: "session", id } as const);
  const { deleted } = await atomically(db, {
    deleted: sql`DELETE FROM sessions WHERE id = ${id} AND user_id = ${userId} RETURNING id`,
    recorded: auditIfChanged({ tenantId, action, actor, target }),
  });
  return deleted.length === 1;
}

/** Ends every session of a user, in all tenants. Recorded in each tenant of such a session, as the login was. */
export async function deleteAllSessionsOfUser({ db }: Deps, { userId, actor }: Owner, nowMs: number): Promise<void> {
  await atomically(db, {
    // First, because it reads the sessions.
    recorded: auditEach(
      { tenantId: sql`s.tenant_id`, action: "auth.logout_all", actor, target: { kind: "user", id: userId } },
      sql`(SELECT DISTINCT tenant_id FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs}) s`,
      nowMs,
    ),
    deleted: sql`DELETE FROM sessions WHERE user_id = ${userId}`,
  });
}
