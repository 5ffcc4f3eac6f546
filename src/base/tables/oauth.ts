/** Apps that sign people in here: their clients, what people have allowed them, and their grants. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CLIENT_AUTHS, CLIENT_KINDS, type ClientSettings } from "../schemas/client-settings";
import type { ResourceSettings } from "../schemas/resource-settings";

/** A program that people sign in to. The migration creates it WITHOUT ROWID. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    /** Of a tenant's client, behind the tenant's id and a space. */
    externalId: text("external_id"),
    name: text().notNull(),
    type: text({ enum: ["web", "native"] }).notNull(),
    auth: text({ enum: CLIENT_AUTHS }).notNull(),
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
    /** The platform's, or that of the tenant whose app it is. */
    tenantId: text("tenant_id").notNull().default("platform"),
    /** An unlisted client, which somebody has allowed something: by its metadata document, or by a registration. */
    kind: text({ enum: CLIENT_KINDS }).notNull().default("registered"),
    /** Of an unlisted client: the host that people know it by, and the hash of what it was allowed something as. */
    host: text(),
    documentHash: text("document_hash"),
    /** Of a client by a document that operators have listed: their copy, as JSON, for when it cannot be fetched. */
    document: text(),
    /** The hidden subscription of the platform that tells the client of sign-ins that end; null: none. */
    logoutWebhookId: text("logout_webhook_id"),
  },
  (t) => [
    uniqueIndex("oauth_clients_by_external_id").on(t.externalId).where(sql`external_id IS NOT NULL`),
    index("oauth_clients_by_owner").on(t.tenantId, t.createdAt, t.id).where(sql`kind IN ('registered', 'listed')`),
  ],
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
    /** When the client last signed the person in, to 30 days; null for one from before this was noted. */
    usedAt: integer("used_at"),
    /** Of an unlisted client: the hash of what it was when the person allowed this. */
    documentHash: text("document_hash"),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.clientId, t.tenantId] }),
    index("oauth_consents_by_tenant").on(t.tenantId, t.clientId),
    index("oauth_consents_by_use").on(t.usedAt).where(sql`used_at IS NOT NULL`),
    index("oauth_consents_without_use").on(t.updatedAt).where(sql`used_at IS NULL`),
  ],
);

/**
 * A sign-in to a client, or an offline grant, which outlives the session. A sign-in ends with its session by a trigger,
 * so that no way to end one forgets it, and all of somebody's grants end with the membership and when the person is
 * suspended; others revoke their tokens, and tell the app of a sign-in that ends before its session does by itself.
 * The migrations create these, and the table WITHOUT ROWID.
 */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    clientId: text("client_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    /** An offline grant has its own id here: it has no session, and the index below wants a value. */
    sessionId: text("session_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /** When it last gave tokens, and to which address. */
    issuedAt: integer("issued_at").notNull(),
    issuedTo: text("issued_to"),
    /** The columns from here on are those of offline grants. The `User-Agent` to which it last gave tokens. */
    device: text(),
    /** JSON list of scopes. */
    scopes: text(),
    /** The number of the refresh token that works; the one before does while this one is unused. */
    generation: integer(),
    /** When it ends unless it is used, and when it ends at the latest. */
    expiresAt: integer("expires_at"),
    endsAt: integer("ends_at"),
    /** Of the sign-in from which it comes: its id, and how and when the person signed in. */
    signInId: text("sign_in_id"),
    amr: text(),
    authenticatedAt: integer("authenticated_at"),
    /** The thumbprint of the key to which the refresh token of an app without a secret is bound (RFC 9449). */
    jkt: text(),
    /** The tenant's own provider that has signed the person in. Of a sign-in, its session says. */
    connectionId: text("connection_id"),
  },
  (t) => [
    uniqueIndex("oauth_grants_by_session").on(t.sessionId, t.clientId, t.tenantId),
    index("oauth_grants_by_user").on(t.userId),
    index("oauth_grants_by_tenant").on(t.tenantId),
    index("oauth_grants_by_expiry").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);

/**
 * A client whose grants have ended, and with it, if it was deleted, what people have allowed it. Nothing works any more
 * when a row is written; a job removes the rows of the other tables later. The migration creates it WITHOUT ROWID.
 */
export const oauthEndings = sqliteTable(
  "oauth_endings",
  {
    clientId: text("client_id").notNull(),
    /** Grants from until then have ended (Unix ms). */
    at: integer().notNull(),
    isDeleted: integer("is_deleted").notNull(),
  },
  (t) => [primaryKey({ columns: [t.clientId, t.at] }), index("oauth_endings_by_time").on(t.at)],
);

/** What a tenant says of a client; the platform's rules are for all tenants. The migration creates it WITHOUT ROWID. */
export const oauthRules = sqliteTable(
  "oauth_rules",
  {
    tenantId: text("tenant_id").notNull(),
    clientId: text("client_id").notNull(),
    state: text({ enum: ["allowed", "blocked"] }).notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.clientId] }), index("oauth_rules_by_client").on(t.clientId)],
);

/** An API that takes our tokens. The migration creates it WITHOUT ROWID. */
export const oauthResources = sqliteTable(
  "oauth_resources",
  {
    /** `api` is our own API, which has a row once operators have changed it. */
    id: text().primaryKey(),
    /** The platform's, or that of the tenant whose it is. */
    tenantId: text("tenant_id").notNull(),
    /** The audience of its tokens; `api` for our own API. */
    identifier: text().notNull(),
    name: text().notNull(),
    enabled: integer().notNull(),
    settings: text({ mode: "json" }).$type<ResourceSettings>().notNull(),
    /** SHA-256 of the secret with which it asks about tokens; null: none. */
    secretHash: text("secret_hash"),
    secretPrefix: text("secret_prefix"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("oauth_resources_by_identifier").on(t.identifier),
    index("oauth_resources_by_tenant").on(t.tenantId),
  ],
);
