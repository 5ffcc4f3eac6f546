/**
 * What a sign-in checks of an account, in D1. Functions named `...ByEmail` look across tenants, because nobody is
 * signed in yet.
 */
import { eq, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { memberships, users } from "../../base/tables/control-plane";
import { isImportedWaiting } from "../passwords/imported/store";

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
