/** Sign-up and login in D1. Functions named `...ByEmail` look across tenants, because nobody is signed in yet. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, query } from "../../base/db/client";
import { shardForNewTenant } from "../../base/db/shard-sizes-store";
import type { Shards } from "../../base/db/shards";
import type { Deps } from "../../base/deps";
import type { NewRevert } from "../../base/mail/revert-store";
import { type Actor, type RequestOrigin, userActor } from "../../base/schemas/actor";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { firstCredentialOf, type NewUser } from "../accounts/new-user-store";
import { addressOfNewUser } from "../addresses-store";
import { announceDevice, rememberDevice } from "../sessions/known-devices-store";
import { endOldestSessions, type MintedSession, mintSession, type NewSession, useTenant } from "../sessions/store";
import type { TokenSubject } from "../sessions/token-subject-store";
import { withBrokenGlass } from "../tokens/sign-on-due-store";
import { conditionsOf, metaOf, preparationsOf, revertStateOf, type SignInCredential, usesOf } from "./credential-store";

export interface NewTenant {
  id: string;
  name: string;
}

/**
 * Writes tenant, user, owner membership and first session, or nothing. Returns the session. Throws on a taken email.
 */
export async function insertAccount(
  { db, config, shards }: Deps,
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
    user: sql`INSERT INTO users (id, email, name, password_hash, verification_mailed_at, created_from, locale,
        created_at)
      VALUES (${userId}, ${addressOfNewUser(user.email, nowMs)}, ${user.name}, ${passwordHash}, ${nowMs},
        ${user.createdFrom}, ${user.locale}, ${nowMs})`,
    ...stored,
    ...insertOwnTenant(shards, userId, tenant, nowMs),
    // Last: it joins the user with the membership.
    minted: mintSession(config, session, { tenantId: tenant.id, ...preconditions }, nowMs),
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
): Promise<{ subject: MintedSession; isNewDevice: boolean } | null> {
  const { session, revert, tenantId, ownTenant, credential, actor } = opening;
  const { userId } = session;
  const login = { tenantId: tenantOf(session), actor, target: { kind: "user", id: userId } } as const;
  const conditions = conditionsOf(userId, credential);
  const opened = { tenantId: tenantId ?? "", userId, methods: sql`${jsonList(conditions.methods)}` };
  const meta = withBrokenGlass(config, opened, metaOf(credential), nowMs);
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
    minted: mintSession(config, session, { tenantId, ...conditions }, nowMs),
    recorded: auditIfChanged({ ...login, action: "auth.login", meta }),
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
