/** Accounts of the product's users in D1, across tenants. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Locale } from "../../base/schemas/locales";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import { endMailedLinks } from "../../identity/accounts/mailed-links-store";
import { addressOfNewUser, isFreeFor } from "../../identity/addresses-store";
import { aboutPerson } from "../../identity/platform-keys/audit-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { type MetadataChange, storedMetadata } from "../../tenancy/directory/metadata";
import { nextMetadata } from "../../tenancy/directory/metadata-store";
import { selectUsers, type UserRow } from "../../tenancy/directory/records-store";
import { type ListFilter, pageByUpdate } from "./page-store";

/** The users, least recently updated first. */
export async function listUsers(
  { db }: Deps,
  { email, ...filter }: ListFilter & { email: string | undefined },
): Promise<UserRow[]> {
  const withEmail = email === undefined ? sql`` : sql`r.email = ${email} AND`;
  const { found } = await atomically(db, { found: selectUsers(sql`${withEmail} ${pageByUpdate(filter)}`) });
  return found;
}

const MAX_TENANTS = 50;

interface TenantOfUser {
  id: string;
  externalId: string | null;
  name: string;
  role: Role;
}

/** A user, with the tenants that they used most recently; undefined when there is none. */
export async function findUser(
  { db }: Deps,
  userId: string,
): Promise<{ row: UserRow; tenants: TenantOfUser[] } | undefined> {
  const { found, tenants } = await atomically(db, {
    found: selectUsers(sql`r.id = ${userId}`),
    tenants: rows<TenantOfUser>(sql`SELECT t.id, t.external_id AS externalId, t.name, m.role
      FROM memberships m CROSS JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId}
      ORDER BY m.last_used_at DESC, m.created_at, t.id LIMIT ${MAX_TENANTS}`),
  });
  const [row] = found;
  return row && { row, tenants };
}

export interface NewUserRow extends MetadataChange {
  id: string;
  email: string;
  name: string | null;
  passwordHash: string;
  externalId: string | null;
  emailVerified: boolean;
  locale: Locale | null;
}

/**
 * Creates an account unless there is one with the same external id. Returns that one, and whether it was created.
 * Throws on an address that is not free.
 */
export async function insertUser(
  { db }: Deps,
  key: PlatformKeyPrincipal,
  user: NewUserRow,
  nowMs: number,
): Promise<{ row: UserRow | undefined; isNew: boolean }> {
  const { id, externalId, emailVerified, metadata = null, publicMetadata = null } = user;
  const { inserted, found } = await atomically(db, {
    inserted: sql`INSERT INTO users (id, email, name, password_hash, external_id, email_verified_at,
        email_verified_by, locale, created_at, metadata, public_metadata)
      SELECT ${id}, ${addressOfNewUser(user.email, nowMs)}, ${user.name}, ${user.passwordHash}, ${externalId},
        ${emailVerified ? nowMs : null}, ${emailVerified ? "platform" : null}, ${user.locale}, ${nowMs},
        ${storedMetadata(metadata)}, ${storedMetadata(publicMetadata)}
      WHERE NOT EXISTS (SELECT 1 FROM users WHERE external_id = ${externalId}) RETURNING id`,
    recorded: aboutPerson(key, id, "user.created").map(auditIfChanged),
    found: selectUsers(sql`r.id = coalesce((SELECT id FROM users WHERE external_id = ${externalId}), ${id})`),
  });
  return { row: found[0], isNew: inserted.length === 1 };
}

/** A field that is undefined stays. */
export interface UserUpdate extends MetadataChange {
  name: string | null | undefined;
  email: string | undefined;
  externalId: string | null | undefined;
  emailVerified: boolean | undefined;
  locale: Locale | null | undefined;
}

/**
 * Changes an account. A new address is unverified unless `emailVerified` says otherwise, and ends the links that were
 * mailed to the former one. `isFree` is false for an address that is not free; nothing is changed then. Throws on a
 * taken external id.
 */
export async function updateUser(
  { db }: Deps,
  key: PlatformKeyPrincipal,
  userId: string,
  { name, email, externalId, emailVerified, locale, ...metadata }: UserUpdate,
  nowMs: number,
): Promise<{ row: UserRow | undefined; isFree: boolean }> {
  const own = Object.entries({ name, email, externalId, emailVerified, locale });
  const more = nextMetadata(metadata);
  const changed = [...own.flatMap(([field, value]) => (value === undefined ? [] : [field])), ...more.changed];
  const address = email === undefined ? sql`email` : sql`${email}`;
  const isMoved = sql`email IS NOT ${address}`;
  const next = {
    name: name === undefined ? sql`name` : sql`${name}`,
    externalId: externalId === undefined ? sql`external_id` : sql`${externalId}`,
    locale: locale === undefined ? sql`locale` : sql`${locale}`,
    verifiedAt:
      emailVerified === undefined
        ? sql`iif(${isMoved}, NULL, email_verified_at)`
        : emailVerified
          ? sql`iif(${isMoved}, ${nowMs}, coalesce(email_verified_at, ${nowMs}))`
          : sql`NULL`,
    verifiedBy:
      emailVerified === true
        ? sql`iif(${isMoved} OR email_verified_at IS NULL, 'platform', email_verified_by)`
        : sql`iif(${isMoved}, NULL, email_verified_by)`,
  };
  const isFree = email === undefined ? sql`1` : isFreeFor(userId, sql`${email}`, nowMs);
  const { found, free } = await atomically(db, {
    free: rows<{ isFree: 0 | 1 }>(sql`SELECT ${isFree} AS isFree`),
    // Before the address: they ask whether it changes.
    links: endMailedLinks(
      sql`${userId}`,
      sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND ${isMoved}) AND ${isFree}`,
    ),
    updated: sql`UPDATE users SET email = ${address}, name = ${next.name}, external_id = ${next.externalId},
        email_verified_at = ${next.verifiedAt}, email_verified_by = ${next.verifiedBy}, locale = ${next.locale},
        ${more.set}
      WHERE id = ${userId} AND ${isFree} AND (${isMoved} OR name IS NOT ${next.name} OR ${more.differs}
        OR locale IS NOT ${next.locale}
        OR external_id IS NOT ${next.externalId} OR (email_verified_at IS NULL) <> (${next.verifiedAt} IS NULL))`,
    recorded: aboutPerson(key, userId, "user.updated", { changed }).map(auditIfChanged),
    found: selectUsers(sql`r.id = ${userId}`),
  });
  return { row: found[0], isFree: free[0]?.isFree === 1 };
}
