/** D1 behind sign-up and sign-in. Functions named `...ByEmail` look across tenants: nobody is known yet. */
import { eq, type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { memberships, users } from "../db/schema";
import type { Deps } from "../deps";
import { mintSession, type NewSession } from "../sessions/store";
import { consumeFactor, type Factor, factorHolds } from "../two-factor/store";

export interface NewUser {
  userId: string;
  email: string;
  name: string | null;
  passwordHash: string;
}

export interface NewTenant {
  id: string;
  name: string;
}

/** Writes tenant, user, owner membership and first session, or nothing. Throws on a taken email. */
export async function insertAccount(
  { db }: Deps,
  user: NewUser,
  tenant: NewTenant,
  session: NewSession,
  nowMs: number,
): Promise<void> {
  await atomically(db, [
    sql`INSERT INTO users (id, email, name, password_hash, created_at)
      VALUES (${user.userId}, ${user.email}, ${user.name}, ${user.passwordHash}, ${nowMs})`,
    ...insertOwnTenant(user.userId, tenant, nowMs),
    mintSession(session, { passwordHash: user.passwordHash, factor: null }, nowMs),
  ]);
}

/** A tenant for somebody who has none; of parallel logins one makes it. */
function insertOwnTenant(userId: string, tenant: NewTenant, nowMs: number): SQL[] {
  return [
    sql`INSERT INTO tenants (id, name, created_at) SELECT ${tenant.id}, ${tenant.name}, ${nowMs}
      WHERE NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = ${userId})`,
    sql`INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT id, ${userId}, 'owner', ${nowMs} FROM tenants WHERE id = ${tenant.id}`,
  ];
}

export interface Opening {
  session: NewSession;
  /** Null when the account has no second factor. */
  factor: Factor | null;
  /** For somebody who is a member of no tenant any more. */
  ownTenant: NewTenant | null;
  /** The hash that the password was checked against, and its successor when it was outdated. */
  passwordHash: string;
  upgradedHash: string | null;
}

/**
 * Opens a session of somebody whose password was right: uses the factor up, mints, upgrades the hash, in one transaction.
 * False when the factor had been used, or password or second factor changed since they were read.
 */
export async function openSession({ db }: Deps, opening: Opening, nowMs: number): Promise<boolean> {
  const { session, factor, ownTenant, passwordHash, upgradedHash } = opening;
  const { userId } = session;
  const statements = ownTenant ? insertOwnTenant(userId, ownTenant, nowMs) : [];
  const minted = statements.length;
  statements.push(mintSession(session, { passwordHash, factor: factor && factorHolds(userId, factor) }, nowMs));
  if (factor) statements.push(consumeFactor(userId, factor, nowMs));
  if (upgradedHash) {
    statements.push(
      sql`UPDATE users SET password_hash = ${upgradedHash} WHERE id = ${userId} AND password_hash = ${passwordHash}`,
    );
  }
  const results = await atomically(db, statements);
  return results[minted]?.length === 1;
}

/** The account behind an email, with the tenant asked for or else the one joined last. */
export async function findAccountByEmail({ db }: Deps, email: string, tenantId: string | null) {
  const [row] = await db
    .select({
      userId: users.id,
      name: users.name,
      passwordHash: users.passwordHash,
      emailVerifiedAt: users.emailVerifiedAt,
      totpSecretSealed: users.totpSecretSealed,
      totpEnabledAt: users.totpEnabledAt,
      tenantId: memberships.tenantId,
    })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.email, email))
    .orderBy(
      sql`${memberships.tenantId} = ${tenantId} DESC, ${memberships.createdAt} DESC, ${memberships.tenantId} DESC`,
    )
    .limit(1);
  return row;
}

/** Deletes up to `limit` rows of each kind that expired before `expiredBefore`. Returns how many went. */
export async function deleteExpiredOfAllTenants({ db }: Deps, expiredBefore: number, limit: number): Promise<number> {
  const removed = await atomically(
    db,
    ["sessions", "email_tokens", "invitations"].map(
      (table) => sql`DELETE FROM ${sql.identifier(table)} WHERE rowid IN
        (SELECT rowid FROM ${sql.identifier(table)} WHERE expires_at <= ${expiredBefore} LIMIT ${limit}) RETURNING 1`,
    ),
  );
  return removed.reduce((sum, rows) => sum + rows.length, 0);
}
