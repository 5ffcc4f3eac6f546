/** Sessions in D1. A user has sessions in several tenants: functions that span tenants are named `...OfUser`. */
import { and, asc, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, prepared, query, queryFirst, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { Device } from "../../base/schemas/device";
import { type Account, type AuthMethod, confinedTo, type SessionPrincipal } from "../../base/schemas/principal";
import type { AccessClaims, ShownClaims } from "../../base/signers/jwt";
import { sessions } from "../../base/tables/control-plane";
import { auditIfChanged, auditOfUser } from "../../tenancy/audit/record-store";
import { PLATFORM_REVISION } from "../../tenancy/tenants/standing-store";
import { STORAGE_COLUMNS } from "../../tenancy/tenants/storage-store";
import { hasVerifiedOwner } from "../../tenancy/tenants/verified-store";
import { SECOND_FACTOR_DUE } from "../tokens/due-store";
import { endSessions, revokeSessions } from "../tokens/revocations-store";
import {
  hasBrokenGlass,
  isMemberRefused,
  isSessionRefused,
  SIGN_ON_DUE,
  type SignOnRule,
  THIS_SESSION,
  withBrokenGlass,
} from "../tokens/sign-on-due-store";
import type { DeviceKeys } from "./known-devices";
import { TOKEN_SUBJECT, type TokenSubject } from "./token-subject-store";

export interface NewSession extends Device {
  id: string;
  userId: string;
  deviceKeys: DeviceKeys;
  refreshTokenHash: string;
  expiresAt: number;
  /** The sign-on that opens it; missing for a session that the person's own credential opens. */
  signOn?: SessionSignOn;
}

/** The sign-on at a tenant's own provider that opens a confined session. */
export interface SessionSignOn {
  connectionId: string;
  /** What the provider says of it: how strong it was, and its own session; null: nothing. */
  acr: string | null;
  sid: string | null;
  /** Whether the person has just shown the provider who they are. Otherwise the session counts as unconfirmed. */
  isFresh: boolean;
}

/** What must still hold for the user when the session is written. */
export interface SessionPreconditions {
  /** Null: the tenant that the user joined first. */
  tenantId: string | null;
  /** A condition on `users u` that holds while the user's credential, such as a password, is valid. */
  credential: SQL;
  /** A condition that holds while the second factor is unused; null when none was given. */
  factor: SQL | null;
  methods: readonly AuthMethod[];
}

/** A session that was opened, or has moved to another tenant. */
export interface MintedSession extends TokenSubject {
  /** Whether an owner has opened it without the provider of a tenant that requires it. */
  breaksGlass: 0 | 1;
}

const FACTORS: readonly AuthMethod[] = ["passkey", "totp", "recovery"];

/** Whether one of the methods is a factor of an account that does not rest on its password or its mailbox. */
const includesFactor = (methods: readonly AuthMethod[]): boolean => methods.some((method) => FACTORS.includes(method));

/** The value of `amr` for a session `s` that is confirmed with further methods. */
export const withMethods = (methods: readonly AuthMethod[]): SQL =>
  sql`(SELECT json_group_array(value) FROM (SELECT value FROM json_each(coalesce(amr, '[]'))
    UNION SELECT value FROM json_each(${jsonList(methods)})))`;

/** Holds while the password has this hash: a password reset after the check therefore stops the login. */
export const passwordStillValid = (passwordHash: string): SQL => sql`u.password_hash = ${passwordHash}`;

/**
 * The only INSERT of a session; it returns one row, or none when a precondition failed. It writes nothing for a user
 * who is not a member of the tenant or is suspended, nor for one with two-factor authentication unless the factor
 * holds, nor where the tenant requires its own sign-on.
 */
export function mintSession(
  rule: SignOnRule,
  session: NewSession,
  preconditions: SessionPreconditions,
  nowMs: number,
): Rows<MintedSession> {
  const { id, userId, refreshTokenHash, signOn } = session;
  const { credential, factor, methods } = preconditions;
  // A password alone does not confirm a session of somebody who has a passkey.
  const ofPassword = includesFactor(methods)
    ? sql`NULL`
    : sql`(SELECT 0 FROM passkeys p WHERE p.user_id = u.id LIMIT 1)`;
  const confirmedAt = signOn ? (signOn.isFresh ? sql`NULL` : sql`0`) : ofPassword;
  const tenantId =
    preconditions.tenantId ??
    sql`(SELECT tenant_id FROM memberships WHERE user_id = ${userId} ORDER BY created_at LIMIT 1)`;
  return rows(sql`INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at,
      device_name, browser, operating_system, platform, ip_address, location, created_at, expires_at, last_activity_at,
      confirmed_at, amr, connection_id, idp_acr, idp_sid, ends_at)
    SELECT ${id}, u.id, m.tenant_id, 1, ${refreshTokenHash}, ${nowMs}, ${session.deviceName}, ${session.browser},
      ${session.operatingSystem}, ${session.platform}, ${session.ipAddress}, ${session.location}, ${nowMs},
      ${session.expiresAt}, ${nowMs},
      ${confirmedAt}, ${jsonList(methods)}, ${signOn?.connectionId ?? null}, ${signOn?.acr ?? null},
      ${signOn?.sid ?? null}, ${signOn ? session.expiresAt : null}
    FROM users u JOIN memberships m ON m.user_id = u.id
    WHERE u.id = ${userId} AND m.tenant_id = ${tenantId} AND ${credential} AND u.suspended_at IS NULL
      AND (u.totp_enabled_at IS NULL OR ${factor ?? sql`0`})
      AND NOT ${isMemberRefused(rule, sql`${jsonList(methods)}`, nowMs)}
    RETURNING ${TOKEN_SUBJECT}, ${hasBrokenGlass(rule, THIS_SESSION, nowMs)} AS breaksGlass`);
}

/** Ends the oldest sessions of a user beyond the newest `most`. */
export const endOldestSessions = (userId: string, most: number, nowMs: number): SQL[] =>
  endSessions(
    sql`id IN (SELECT id FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs}
      ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ${most})`,
    nowMs,
  );

/** Makes the session's tenant the one that its user's next login opens, unless it is already. */
export const useTenant = (sessionId: string, nowMs: number): SQL =>
  sql`UPDATE memberships SET last_used_at = ${nowMs}
    WHERE (tenant_id, user_id) = (SELECT tenant_id, user_id FROM sessions WHERE id = ${sessionId})
      AND EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = memberships.user_id
        AND o.tenant_id <> memberships.tenant_id AND o.last_used_at >= memberships.last_used_at)`;

/** A session that is about to move to another tenant. */
export interface SessionMove {
  sessionId: string;
  userId: string;
  /** Where it moves to. */
  tenantId: string;
}

/**
 * Returns the session's present generation and expiry, and whether the tenant refuses it before its own sign-on;
 * undefined when the user is not a member of the tenant.
 */
export async function findSwitchable({ db, config, now }: Deps, { sessionId, userId, tenantId }: SessionMove) {
  const isRefused = isSessionRefused(config, { ...THIS_SESSION, tenantId }, now());
  return queryFirst<{ generation: number; expiresAt: number; isRefused: 0 | 1 }>(db)`SELECT sessions.generation,
      sessions.expires_at AS expiresAt, ${isRefused} AS isRefused
    FROM sessions JOIN memberships om ON om.user_id = sessions.user_id AND om.tenant_id = ${tenantId}
    WHERE sessions.id = ${sessionId} AND sessions.user_id = ${userId}`;
}

/**
 * Moves the session, with a new refresh token. Returns what its tokens say from now on; undefined if it was refreshed
 * or the membership has ended since `findSwitchable`, or if the tenant requires its own sign-on.
 */
export async function moveSession(
  { db, config, startedAt }: Deps,
  move: SessionMove & { generation: number; nextTokenHash: string; actor: Actor },
  nowMs: number,
): Promise<MintedSession | undefined> {
  const { sessionId, userId, tenantId, generation, nextTokenHash, actor } = move;
  const mayMove = sql`id = ${sessionId} AND user_id = ${userId} AND generation = ${generation} AND expires_at > ${nowMs}
    AND EXISTS (SELECT 1 FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})
    AND NOT ${isSessionRefused(config, { ...THIS_SESSION, tenantId }, nowMs)}`;
  const methods = sql`(SELECT amr FROM sessions WHERE id = ${sessionId})`;
  const meta = withBrokenGlass(config, { tenantId, userId, methods }, { via: "switch" }, nowMs);
  const { moved } = await atomically(db, {
    // First, because it reads the former tenant.
    revoked: revokeSessions(sql`tenant_id <> ${tenantId} AND ${mayMove}`, nowMs),
    moved: rows<MintedSession>(sql`UPDATE sessions SET tenant_id = ${tenantId}, generation = generation + 1,
        refresh_token_hash = ${nextTokenHash}, rotated_at = ${nowMs}, rotation_key_hash = NULL,
        last_activity_at = ${nowMs}, tenant_since = ${startedAt}
      WHERE ${mayMove} RETURNING ${TOKEN_SUBJECT}, ${hasBrokenGlass(config, THIS_SESSION, nowMs)} AS breaksGlass`),
    recorded: auditOfUser("auth.login", { tenantId, userId, actor }, meta),
    lastUsed: useTenant(sessionId, nowMs),
  });
  return moved[0];
}

export interface LiveSession extends Account {
  role: string;
  shard: number;
  formerShard: number | null;
  hasVerifiedOwner: 0 | 1;
  isTenantSuspended: 0 | 1;
  tenantExternalId: string | null;
  /** See `SECOND_FACTOR_DUE`. */
  secondFactorDueAt: number | null;
  /** See `SIGN_ON_DUE`. */
  signOnDueAt: number | null;
  storedBytes: number;
  databaseBytes: number;
  compressesFrom: number | null;
  hasFeeds: 0 | 1;
  rulesRevision: number | null;
  platformRevision: number | null;
  lastActivityAt: number;
  confirmedAt: number;
  /** JSON. */
  amr: string | null;
  /** See `SessionPrincipal`. */
  connectionId: string | null;
}

export const LIVE_SESSION = sql`m.role, s.last_activity_at AS lastActivityAt,
    coalesce(s.confirmed_at, s.created_at) AS confirmedAt, s.amr, s.connection_id AS connectionId,
    u.email, u.name, u.locale,
    u.external_id AS externalId,
    u.email_verified_at AS emailVerifiedAt, u.email_verified_by IS NULL AS isProvenByMail,
    u.totp_enabled_at AS totpEnabledAt, (u.totp_enabled_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM recovery_codes rc
      WHERE rc.user_id = u.id AND rc.used_at IS NULL)) AS lacksRecoveryCodes,
    u.created_at AS createdAt, json_array(u.public_metadata, t.public_metadata, m.public_metadata) AS publicMetadata,
    t.name AS tenantName, m.alerts, t.shard, t.former_shard AS formerShard,
    t.suspended_at IS NOT NULL AS isTenantSuspended, t.external_id AS tenantExternalId,
    t.rules_revision AS rulesRevision, ${PLATFORM_REVISION},
    ${SECOND_FACTOR_DUE} AS secondFactorDueAt, ${SIGN_ON_DUE} AS signOnDueAt,
    m.role = 'owner' AND u.email_verified_at IS NOT NULL OR ${hasVerifiedOwner(sql`s.tenant_id`)} AS hasVerifiedOwner,
    ${STORAGE_COLUMNS}`;

/**
 * Times in tokens are whole seconds, and clocks differ a little. A token of the request that moved the session must be
 * accepted.
 */
const ISSUED_WITHIN_MS = 2_000;

export const OF_CLAIMS = sql`FROM sessions s JOIN memberships m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
    JOIN users u ON u.id = s.user_id JOIN tenants t ON t.id = s.tenant_id
  WHERE s.id = ${sql.placeholder("sessionId")} AND s.tenant_id = ${sql.placeholder("tenantId")}
    AND s.user_id = ${sql.placeholder("userId")} AND s.expires_at > ${sql.placeholder("nowMs")}
    AND coalesce(s.tenant_since, 0) < ${sql.placeholder("issuedAt")} + ${sql.raw(String(ISSUED_WITHIN_MS))}`;

const liveSession = prepared<LiveSession>(sql`SELECT ${LIVE_SESSION} ${OF_CLAIMS}`);

/** The session of an access token with its user, if it still exists and the user is still a member of its tenant. */
export async function findLiveSession(
  { db }: Deps,
  claims: ShownClaims,
  nowMs: number,
): Promise<LiveSession | undefined> {
  const [row] = await liveSession(db, { ...claims, nowMs });
  return row;
}

/** Records that the session was used at `nowMs`. */
export async function touchSession({ db }: Deps, claims: AccessClaims, nowMs: number): Promise<void> {
  await query(db)`UPDATE sessions SET last_activity_at = ${nowMs}
    WHERE id = ${claims.sessionId} AND tenant_id = ${claims.tenantId}`;
}

/** The names of the apps to which a session has signed in, as a JSON list; null: none. */
export const APPS_OF_SESSION = sql<string | null>`(SELECT nullif(json_group_array(DISTINCT c.name), '[]')
  FROM oauth_grants g CROSS JOIN oauth_clients c ON c.id = g.client_id WHERE g.session_id = sessions.id)`;

/** The live sessions of a user in all tenants of which the caller may know, oldest first. */
export function listSessionsOfUser({ db }: Deps, caller: SessionPrincipal, nowMs: number) {
  const only = confinedTo(caller);
  return db
    .select({ ...getTableColumns(sessions), apps: APPS_OF_SESSION })
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, caller.userId),
        gt(sessions.expiresAt, nowMs),
        only === null ? undefined : eq(sessions.tenantId, only),
      ),
    )
    .orderBy(asc(sessions.createdAt), asc(sessions.id));
}

/** A user who ends sessions of their own: in any tenant, or from a confined session in its own. */
export type SessionOwner = Pick<SessionPrincipal, "userId" | "tenantId" | "actor" | "connectionId">;

/** Ends a session of a user. Returns false when the user has no such session. */
export async function deleteSessionOfUser(
  { db, now }: Deps,
  { userId, tenantId, actor, connectionId }: SessionOwner,
  id: string,
  action: "auth.logout" | "session.revoked",
): Promise<boolean> {
  const mine = connectionId === null ? sql`` : sql`AND tenant_id = ${tenantId}`;
  const target =
    action === "auth.logout" ? ({ kind: "user", id: userId } as const) : ({ kind: "session", id } as const);
  const { deleted } = await atomically(db, {
    deleted: endSessions(sql`id = ${id} AND user_id = ${userId} ${mine}`, now()),
    recorded: auditIfChanged({ tenantId, action, actor, target }),
  });
  return deleted.length === 1;
}
