/**
 * What a sign-in checks of an account, in D1. Functions named `...ByEmail` look across tenants, because nobody is
 * signed in yet.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { AuthMethod } from "../../base/schemas/principal";
import { isImportedWaiting } from "../passwords/imported/store";
import { isMemberRefused } from "../tokens/sign-on-due-store";

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
  /** Whether that tenant refuses the session, because it requires its own sign-on. */
  mustSignOn: 0 | 1;
}

/** Whose tenant is read: a requested one, or the one used last that lets such a credential in. */
interface Wanted {
  tenantId: string | null;
  first: Extract<AuthMethod, "password" | "code" | "provider" | "passkey">;
}

/** The requested tenant of the user `u` comes first, then the one used last that lets them in. */
const byUse = ({ tenantId }: Wanted): SQL =>
  sql`m.tenant_id = ${tenantId} DESC, mustSignOn, m.last_used_at DESC, m.created_at, m.tenant_id`;

/** Whoever has two-factor authentication gives a code besides. */
const mustSignOn = ({ config, now }: Deps, { first }: Wanted): SQL =>
  isMemberRefused(
    config,
    sql`iif(u.totp_enabled_at IS NULL, ${jsonList([first])}, ${jsonList([first, "totp"])})`,
    now(),
  );

const credentialsWhere = (deps: Deps, condition: SQL, wanted: Wanted) =>
  rows<StoredCredentials>(sql`SELECT u.id AS userId, u.email, u.name, u.password_hash AS passwordHash,
      u.password_removed_at AS passwordRemovedAt, u.email_verified_at AS emailVerifiedAt,
      u.totp_enrolment_id AS totpEnrolmentId, u.totp_secret_encrypted AS totpSecretEncrypted,
      u.totp_enabled_at AS totpEnabledAt, u.suspended_at AS suspendedAt, m.tenant_id AS tenantId,
      ${mustSignOn(deps, wanted)} AS mustSignOn
    FROM users u LEFT JOIN memberships m ON m.user_id = u.id WHERE ${condition} ORDER BY ${byUse(wanted)} LIMIT 1`);

const byEmail = (email: string): SQL => sql`u.email = ${email}`;

/** What a login checks, with the requested tenant, or the one used last if none is requested. */
export async function findCredentialsByEmail(
  deps: Deps,
  email: string,
  tenantId: string | null,
  first: Wanted["first"] = "password",
): Promise<StoredCredentials | undefined> {
  const { found } = await atomically(deps.db, { found: credentialsWhere(deps, byEmail(email), { tenantId, first }) });
  return found[0];
}

/** As `findCredentialsByEmail`, and whether anybody's imported hash waits for its first right password. */
export async function findForPassword(deps: Deps, email: string, tenantId: string | null) {
  const { found, waiting } = await atomically(deps.db, {
    found: credentialsWhere(deps, byEmail(email), { tenantId, first: "password" }),
    waiting: rows<{ isWaiting: 0 | 1 }>(sql`SELECT ${isImportedWaiting} AS isWaiting`),
  });
  return { credentials: found[0], isImportedWaiting: waiting[0]?.isWaiting === 1 };
}

/** As `findCredentialsByEmail`, for a known user. */
export async function findCredentialsOfUser(
  deps: Deps,
  userId: string,
  tenantId: string | null = null,
  first: Wanted["first"] = "password",
): Promise<StoredCredentials | undefined> {
  const ofUser = credentialsWhere(deps, sql`u.id = ${userId}`, { tenantId, first });
  const { found } = await atomically(deps.db, { found: ofUser });
  return found[0];
}

/** An account that signs in with a passkey. */
export type PasskeyAccount = Pick<
  StoredCredentials,
  "userId" | "email" | "name" | "emailVerifiedAt" | "suspendedAt" | "tenantId" | "mustSignOn"
> & {
  /** JWK in JSON. */
  publicKey: string;
  aaguid: string;
};

/** The account of a passkey, with the requested tenant, or the one used last if none is requested. */
export async function findAccountByPasskey(
  deps: Deps,
  passkeyId: string,
  tenantId: string | null,
): Promise<PasskeyAccount | undefined> {
  const wanted = { tenantId, first: "passkey" } as const;
  return queryFirst<PasskeyAccount>(
    deps.db,
  )`SELECT u.id AS userId, u.email, u.name, u.email_verified_at AS emailVerifiedAt,
      u.suspended_at AS suspendedAt, m.tenant_id AS tenantId, ${mustSignOn(deps, wanted)} AS mustSignOn,
      p.public_key AS publicKey, p.aaguid
    FROM passkeys p JOIN users u ON u.id = p.user_id LEFT JOIN memberships m ON m.user_id = u.id
      WHERE p.id = ${passkeyId}
    ORDER BY ${byUse(wanted)} LIMIT 1`;
}
