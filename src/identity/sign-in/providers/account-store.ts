/** Accounts that are created by a sign-in with a provider, in D1. */
import { sql } from "drizzle-orm";
import { atomically } from "../../../base/db/client";
import { newId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { type RequestOrigin, userActor } from "../../../base/schemas/actor";
import type { Locale } from "../../../base/schemas/locales";
import { auditIfChanged } from "../../../tenancy/audit/record-store";
import { nameOfOwnTenant } from "../../../tenancy/tenants/name";
import { addressOfNewUser } from "../../addresses-store";
import { joinByToken, type NotJoined, type OpenInvitation, recordJoining } from "../../invitations/join-store";
import type { ProviderIdentity } from "../../providers/identity";
import { insertIdentity } from "../../providers/store";
import { insertOwnTenant } from "../store";

export interface NewProviderAccount {
  userId: string;
  email: string;
  identity: ProviderIdentity;
  /** See `NewUser`. */
  createdFrom: string;
  locale: Locale | null;
  /** The key of the browser, which becomes a known device. */
  deviceKey: string;
  origin: RequestOrigin;
}

/**
 * Writes a user without a password and their identity, and uses the invitation, or writes nothing. Throws on a taken
 * email.
 */
export async function insertInvitedProviderAccount(
  deps: Deps,
  { userId, email, identity, createdFrom, locale, deviceKey, origin }: NewProviderAccount,
  invitation: OpenInvitation,
  nowMs: number,
): Promise<"joined" | NotJoined> {
  const { name, provider } = identity;
  const { added, stillOpen } = await atomically(deps.db, {
    ...joinByToken(deps, { userId, email, name, passwordHash: "", createdFrom, locale }, invitation, nowMs),
    device: sql`INSERT INTO known_devices (user_id, key, last_seen_at) SELECT id, ${deviceKey}, ${nowMs} FROM users
      WHERE id = ${userId}`,
    added: insertIdentity(newId(), identity, sql`u.id = ${userId}`, nowMs),
    ...recordJoining(userActor({ userId, email }, origin), invitation.tenantId, userId, { provider }),
  });
  if (added.length === 1) return "joined";
  return stillOpen.length > 0 ? "full" : "closed";
}

/**
 * Writes a user without a password, their identity, tenant and owner membership, or writes nothing. Throws on a taken
 * email.
 */
export async function insertProviderAccount(
  { db, shards }: Deps,
  { userId, email, identity, createdFrom, locale, deviceKey, origin }: NewProviderAccount,
  nowMs: number,
): Promise<void> {
  const { name, provider } = identity;
  const tenant = { id: newId(), name: nameOfOwnTenant(name) };
  const verifiedAt = identity.emailVerified ? nowMs : null;
  await atomically(db, {
    // The caller queues the verification mail.
    user: sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, email_verified_by,
      verification_mailed_at, created_from, locale, created_at)
      VALUES (${userId}, ${addressOfNewUser(email, nowMs)}, ${name}, '', ${verifiedAt}, ${verifiedAt && "provider"},
        ${nowMs}, ${createdFrom}, ${locale}, ${nowMs})`,
    recorded: auditIfChanged({
      tenantId: tenant.id,
      action: "auth.registered",
      actor: userActor({ userId, email }, origin),
      target: { kind: "user", id: userId },
      meta: { provider },
    }),
    identity: insertIdentity(newId(), identity, sql`u.id = ${userId}`, nowMs),
    ...insertOwnTenant(shards, userId, tenant, nowMs),
    device: sql`INSERT INTO known_devices (user_id, key, last_seen_at) VALUES (${userId}, ${deviceKey}, ${nowMs})`,
  });
}
