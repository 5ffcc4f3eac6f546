/** What the product needs to act by itself: its keys, and how often each of its tenants and users has changed. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlatformScope } from "../schemas/platform-scopes";

/** The credentials of the product that adopts Postern. */
export const platformKeys = sqliteTable(
  "platform_keys",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    prefix: text().notNull(),
    scopes: text({ mode: "json" }).$type<PlatformScope[]>().notNull(),
    /** The ids of the tenants that the key sees; null: all. */
    tenants: text({ mode: "json" }).$type<string[]>(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [
    index("platform_keys_by_revocation").on(t.revokedAt).where(sql`revoked_at IS NOT NULL`),
    index("platform_keys_of_tenants").on(t.id).where(sql`tenants IS NOT NULL`),
    index("platform_keys_by_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);

/**
 * The current key of each platform key and, after a rotation, its former one. The migration creates it WITHOUT ROWID.
 */
export const platformKeyHashes = sqliteTable(
  "platform_key_hashes",
  {
    /** SHA-256 of the whole key. */
    hash: text().primaryKey(),
    keyId: text("key_id").notNull(),
    /** When the former key ends; null for the current one. */
    expiresAt: integer("expires_at"),
  },
  (t) => [
    index("platform_key_hashes_by_key").on(t.keyId),
    index("platform_key_hashes_by_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);

/**
 * The numbers by which the product tells which of two events about a tenant or a user is newer. A row exists from the
 * first event on. The migration creates it WITHOUT ROWID.
 */
export const platformSequences = sqliteTable("platform_sequences", {
  /** Of the tenant or the user. */
  subjectId: text("subject_id").primaryKey(),
  sequence: integer().notNull(),
});

/** One row while a subscription receives the events of the platform. */
export const platformFeed = sqliteTable("platform_feed", {
  id: integer().primaryKey(),
  /** What was recorded before this time (Unix ms) has been published. */
  publishedTo: integer("published_to").notNull(),
});
