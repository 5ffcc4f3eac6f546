/** Sign-up and login in D1. Functions named `...ByEmail` look across tenants, because nobody is signed in yet. */
import { eq, sql } from "drizzle-orm";
import { atomically, query, queryFirst } from "../../platform/db/client";
import { memberships, users } from "../../platform/db/schema";
import { shardForNewTenant } from "../../platform/db/shard-sizes-store";
import type { Shards } from "../../platform/db/shards";
import type { Deps } from "../../platform/deps";
import type { NewRevert } from "../../platform/mail/revert-store";
import { type Actor, type RequestOrigin, userActor } from "../../platform/schemas/actor";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { addressOfNewUser } from "../addresses-store";
import { isImportedWaiting } from "../passwords/imported/store";
import { announceDevice, rememberDevice } from "../sessions/known-devices-store";
import { endOldestSessions, mintSession, type NewSession, type TokenSubject, useTenant } from "../sessions/store";
import { conditionsOf, metaOf, preparationsOf, revertStateOf, type SignInCredential, usesOf } from "./credential-store";
import { firstCredentialOf, type NewUser } from "./new-user-store";

export interface NewTenant {
  id: string;
  name: string;
}

/**
 * Writes tenant, user, owner membership and first session, or nothing. Returns the session. Throws on a taken email.
 */
export async function insertAccount(
  { db, shards }: Deps,
  user: NewUser,
  tenant: NewTenant,
  session: NewSession,
  origin: RequestOrigin,
  nowMs: number,
): Promise<TokenSubject> {
  const { userId, email, passwordHash } = user;
  const { stored, preconditions, meta } = firstCredentialOf(user);
  const { minted } = await atomically(db, {
    // The caller queues the verification mail.
    user: sql`INSERT INTO users (id, email, name, password_hash, verification_mailed_at, created_from, created_at)
      VALUES (${userId}, ${addressOfNewUser(user.email, nowMs)}, ${user.name}, ${passwordHash}, ${nowMs},
        ${user.createdFrom}, ${nowMs})`,
    ...stored,
    ...insertOwnTenant(shards, userId, tenant, nowMs),
    // Last: it joins the user with the membership.
    minted: mintSession(session, { tenantId: tenant.id, ...preconditions }, nowMs),
    recorded: auditIfChanged({
      tenantId: tenant.id,
      action: "auth.registered",
      actor: userActor({ userId, email, sessionId: session.id }, origin),
      target: { kind: "user", id: userId },
      ...meta,
    }),
    ...rememberDevice(session, nowMs),
  });
  const [subject] = minted;
  if (!subject) throw new Error("the first session was not written");
  return subject;
}

/** A tenant for a user who is a member of none. Only one of several parallel logins creates it. */
export const insertOwnTenant = (shards: Shards, userId: string, tenant: NewTenant, nowMs: number) => ({
  tenant: sql`INSERT INTO tenants (id, name, shard, created_by, created_at)
    SELECT ${tenant.id}, ${tenant.name}, ${shardForNewTenant(shards)}, ${userId}, ${nowMs}
    WHERE NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = ${userId})`,
  // After the tenant: it makes a membership only if the tenant was created.
  membership: sql`INSERT INTO memberships (tenant_id, user_id, role, last_used_at, created_at)
    SELECT id, ${userId}, 'owner', ${nowMs}, ${nowMs} FROM tenants WHERE id = ${tenant.id}`,
});

/** The tenant of a session, or the user's id if the session was not opened: a code may have been used even then. */
const tenantOf = ({ id, userId }: NewSession) =>
  sql`coalesce((SELECT tenant_id FROM sessions WHERE id = ${id}), ${userId})`;

export interface Opening {
  session: NewSession;
  /** The link of the notice for a sign-in from a new device. */
  revert: NewRevert;
  /** Null for the user's own tenant, which `ownTenant` creates if the user has none. */
  tenantId: string | null;
  /** For a user who is a member of no tenant. */
  ownTenant: NewTenant | null;
  credential: SignInCredential;
  actor: Actor;
}

/**
 * Opens a session for a user who has proven who they are: writes the session, uses up what works once and ends the
 * oldest sessions beyond the cap. `isNewDevice`: the user has not signed in from such a device for 90 days. Returns
 * null when the credential was used before, or when it or the membership changed since they were read.
 */
export async function writeSession(
  { db, config, shards }: Deps,
  opening: Opening,
  nowMs: number,
): Promise<{ subject: TokenSubject; isNewDevice: boolean } | null> {
  const { session, revert, tenantId, ownTenant, credential, actor } = opening;
  const { userId } = session;
  const login = { tenantId: tenantOf(session), actor, target: { kind: "user", id: userId } } as const;
  const { minted, announced } = await atomically(db, {
    ...(ownTenant ? insertOwnTenant(shards, userId, ownTenant, nowMs) : {}),
    ownTenantRecorded: ownTenant
      ? auditIfChanged({
          tenantId: ownTenant.id,
          action: "tenant.created",
          actor,
          target: { kind: "tenant", id: ownTenant.id },
        })
      : undefined,
    ...preparationsOf(userId, credential, { actor }, nowMs),
    minted: mintSession(session, { tenantId, ...conditionsOf(userId, credential) }, nowMs),
    recorded: auditIfChanged({ ...login, action: "auth.login", meta: metaOf(credential) }),
    ended: endOldestSessions(userId, config.caps.sessions, nowMs),
    ...usesOf(session, credential, login, nowMs),
    lastUsed: useTenant(session.id, nowMs),
    announced: announceDevice(session, revert, revertStateOf(credential), nowMs),
    ...rememberDevice(session, nowMs),
  });
  const [subject] = minted;
  return subject ? { subject, isNewDevice: announced.length > 0 } : null;
}

/** Replaces a hash that has outdated parameters. Returns false when the password changed since it was read. */
export async function upgradePasswordHash(
  { db }: Deps,
  userId: string,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const updated = await query(db)`UPDATE users SET password_hash = ${newHash}
    WHERE id = ${userId} AND password_hash = ${oldHash} RETURNING id`;
  return updated.length === 1;
}

const credentials = {
  userId: users.id,
  email: users.email,
  name: users.name,
  passwordHash: users.passwordHash,
  passwordRemovedAt: users.passwordRemovedAt,
  emailVerifiedAt: users.emailVerifiedAt,
  totpEnrolmentId: users.totpEnrolmentId,
  totpSecretEncrypted: users.totpSecretEncrypted,
  totpEnabledAt: users.totpEnabledAt,
  suspendedAt: users.suspendedAt,
  tenantId: memberships.tenantId,
};

/** The tenant used last comes first. */
const byLastUse = sql`${memberships.lastUsedAt} DESC, ${memberships.createdAt}, ${memberships.tenantId}`;

/** What a login checks, with the requested tenant, or the one used last if none is requested. */
export async function findCredentialsByEmail(deps: Deps, email: string, tenantId: string | null) {
  const [row] = await credentialsByEmail(deps, email, tenantId);
  return row;
}

const credentialsByEmail = ({ db }: Deps, email: string, tenantId: string | null) =>
  db
    .select(credentials)
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.email, email))
    .orderBy(sql`${memberships.tenantId} = ${tenantId} DESC, ${byLastUse}`)
    .limit(1);

export type StoredCredentials = NonNullable<Awaited<ReturnType<typeof findCredentialsByEmail>>>;

/** As `findCredentialsByEmail`, and whether anybody's imported hash waits for its first right password. */
export async function findForPassword(deps: Deps, email: string, tenantId: string | null) {
  const [found, waiting] = await deps.db.batch([
    credentialsByEmail(deps, email, tenantId),
    deps.db.select({ isWaiting: isImportedWaiting.as<0 | 1>("is_waiting") }).from(sql`(SELECT 1)`),
  ]);
  return { credentials: found[0], isImportedWaiting: waiting[0]?.isWaiting === 1 };
}

/** As `findCredentialsByEmail`, for a known user. */
export async function findCredentialsOfUser(
  { db }: Deps,
  userId: string,
  tenantId: string | null = null,
): Promise<StoredCredentials | undefined> {
  const [row] = await db
    .select(credentials)
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.id, userId))
    .orderBy(sql`${memberships.tenantId} = ${tenantId} DESC, ${byLastUse}`)
    .limit(1);
  return row;
}

/** An account that signs in with a passkey. */
export type PasskeyAccount = Pick<
  StoredCredentials,
  "userId" | "email" | "name" | "emailVerifiedAt" | "suspendedAt" | "tenantId"
> & {
  /** JWK in JSON. */
  publicKey: string;
  aaguid: string;
};

/** The account of a passkey, with the requested tenant, or the one used last if none is requested. */
export async function findAccountByPasskey(
  { db }: Deps,
  passkeyId: string,
  tenantId: string | null,
): Promise<PasskeyAccount | undefined> {
  return queryFirst<PasskeyAccount>(db)`SELECT u.id AS userId, u.email, u.name, u.email_verified_at AS emailVerifiedAt,
      u.suspended_at AS suspendedAt, m.tenant_id AS tenantId,
      p.public_key AS publicKey, p.aaguid
    FROM passkeys p JOIN users u ON u.id = p.user_id LEFT JOIN memberships m ON m.user_id = u.id
      WHERE p.id = ${passkeyId}
    ORDER BY m.tenant_id = ${tenantId} DESC, m.last_used_at DESC, m.created_at, m.tenant_id LIMIT 1`;
}
