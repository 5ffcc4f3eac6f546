/** Apps that sign people in here: their clients, what people have allowed them, and the sign-ins of their sessions. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ClientSettings } from "../schemas/client-settings";

/** A program that people sign in to. The migration creates it WITHOUT ROWID. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    externalId: text("external_id"),
    name: text().notNull(),
    type: text({ enum: ["web", "native"] }).notNull(),
    auth: text({ enum: ["secret", "none"] }).notNull(),
    enabled: integer().notNull(),
    /** SHA-256; null for a client without a secret. */
    secretHash: text("secret_hash"),
    secretPrefix: text("secret_prefix"),
    /** The former secret, until it ends (Unix ms). */
    previousHash: text("previous_hash"),
    previousExpiresAt: integer("previous_expires_at"),
    settings: text({ mode: "json" }).$type<ClientSettings>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Tokens and codes from until then are refused (Unix ms); null: none. */
    revokedAt: integer("revoked_at"),
    /** To the minute. */
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [uniqueIndex("oauth_clients_by_external_id").on(t.externalId).where(sql`external_id IS NOT NULL`)],
);

/** What a person has allowed a client in a tenant. The migration creates it WITHOUT ROWID. */
export const oauthConsents = sqliteTable(
  "oauth_consents",
  {
    userId: text("user_id").notNull(),
    clientId: text("client_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    /** JSON list of scopes. */
    scopes: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.clientId, t.tenantId] }),
    index("oauth_consents_by_tenant").on(t.tenantId, t.clientId),
  ],
);

/**
 * A sign-in to a client. It ends with its session by a trigger, so that no way to end one forgets it, and another
 * trigger revokes its tokens. The migration creates both, and it WITHOUT ROWID.
 */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    clientId: text("client_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    sessionId: text("session_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /** When it last gave tokens, and to which address. */
    issuedAt: integer("issued_at").notNull(),
    issuedTo: text("issued_to"),
  },
  (t) => [
    uniqueIndex("oauth_grants_by_session").on(t.sessionId, t.clientId, t.tenantId),
    index("oauth_grants_by_user").on(t.userId),
    index("oauth_grants_by_tenant").on(t.tenantId),
  ],
);
