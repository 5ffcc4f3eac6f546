/**
 * What a sign-in checks of an account, in D1. Functions named `...ByEmail` look across tenants, because nobody is
 * signed in yet.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { isImportedWaiting } from "../passwords/imported/store";

/** What a login checks of a user, with one of their tenants. Times are Unix ms. */
export interface StoredCredentials {
  userId: string;
  email: string;
  name: string | null;
  passwordHash: string;
  passwordRemovedAt: number | null;
  emailVerifiedAt: number | null;
  totpEnrolmentId: string | null;
  totpSecretEncrypted: string | null;
  totpEnabledAt: number | null;
  suspendedAt: number | null;
  /** Null: a member of no tenant. */
  tenantId: string | null;
}

/** The requested tenant of the user `u` comes first, then the one used last. */
const byUse = (tenantId: string | null): SQL =>
  sql`m.tenant_id = ${tenantId} DESC, m.last_used_at DESC, m.created_at, m.tenant_id`;

const credentialsWhere = (condition: SQL, tenantId: string | null) =>
  rows<StoredCredentials>(sql`SELECT u.id AS userId, u.email, u.name, u.password_hash AS passwordHash,
      u.password_removed_at AS passwordRemovedAt, u.email_verified_at AS emailVerifiedAt,
      u.totp_enrolment_id AS totpEnrolmentId, u.totp_secret_encrypted AS totpSecretEncrypted,
      u.totp_enabled_at AS totpEnabledAt, u.suspended_at AS suspendedAt, m.tenant_id AS tenantId
    FROM users u LEFT JOIN memberships m ON m.user_id = u.id WHERE ${condition} ORDER BY ${byUse(tenantId)} LIMIT 1`);

const byEmail = (email: string): SQL => sql`u.email = ${email}`;

/** What a login checks, with the requested tenant, or the one used last if none is requested. */
export async function findCredentialsByEmail(
  { db }: Deps,
  email: string,
  tenantId: string | null,
): Promise<StoredCredentials | undefined> {
  const { found } = await atomically(db, { found: credentialsWhere(byEmail(email), tenantId) });
  return found[0];
}

/** As `findCredentialsByEmail`, and whether anybody's imported hash waits for its first right password. */
export async function findForPassword({ db }: Deps, email: string, tenantId: string | null) {
  const { found, waiting } = await atomically(db, {
    found: credentialsWhere(byEmail(email), tenantId),
    waiting: rows<{ isWaiting: 0 | 1 }>(sql`SELECT ${isImportedWaiting} AS isWaiting`),
  });
  return { credentials: found[0], isImportedWaiting: waiting[0]?.isWaiting === 1 };
}

/** As `findCredentialsByEmail`, for a known user. */
export async function findCredentialsOfUser(
  { db }: Deps,
  userId: string,
  tenantId: string | null = null,
): Promise<StoredCredentials | undefined> {
  const { found } = await atomically(db, { found: credentialsWhere(sql`u.id = ${userId}`, tenantId) });
  return found[0];
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
    ORDER BY ${byUse(tenantId)} LIMIT 1`;
}
