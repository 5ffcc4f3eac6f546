/** What people and programs prove who they are with, besides passwords, codes and sessions. In the control plane. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Permission } from "../schemas/roles";
import type { ProviderName } from "../schemas/schemas";

/** The public keys that users sign in with: passkeys of WebAuthn. */
export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The id that the authenticator gave it, in base64url. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    /** JWK in JSON. */
    publicKey: text("public_key").notNull(),
    /** The highest counter that the authenticator has reported; 0 if it does not count. */
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Whether it is synchronised, or backed up otherwise. */
    backedUp: integer("backed_up", { mode: "boolean" }).notNull(),
    /** The model of the authenticator, in hex. */
    aaguid: text().notNull(),
    name: text().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [index("passkeys_by_user").on(t.userId)],
);

/** The accounts at Google, GitHub and other providers with which users sign in. */
export const identities = sqliteTable(
  "identities",
  {
    /** With `sub`, identifies the person at the provider: email addresses change hands. */
    issuer: text().notNull(),
    sub: text().notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    provider: text().$type<ProviderName>().notNull(),
    /** The address that the provider gave when the identity was added; null for none. */
    email: text(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.sub] }), index("identities_by_user").on(t.userId)],
);

/** The credentials of programs, hashed. Each belongs to a user or to its tenant. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    /** Its owner; empty for a key of the tenant, which older code then refuses. */
    userId: text("user_id").notNull(),
    /** A key of the tenant has its scopes by itself, and outlives who made it. */
    owner: text({ enum: ["user", "tenant"] })
      .notNull()
      .default("user"),
    name: text().notNull(),
    prefix: text().notNull(),
    /** SHA-256 of the whole key. */
    keyHash: text("key_hash").notNull().unique(),
    scopes: text({ mode: "json" }).$type<Permission[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [
    index("api_keys_by_user").on(t.userId, t.tenantId),
    index("api_keys_by_tenant").on(t.tenantId),
    // Partial, so neither has entries for keys that are not revoked and never expire.
    index("api_keys_by_revocation").on(t.revokedAt).where(sql`revoked_at IS NOT NULL`),
    index("api_keys_by_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);
