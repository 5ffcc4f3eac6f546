/**
 * Tenants' own identity providers, whom they know, what their tests and refusals show, and the domains that tenants
 * prove. In the control plane.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
  CONNECTION_KINDS,
  CONNECTION_PROVIDERS,
  CONNECTION_STATES,
  type ConnectionSettings,
  type StoredProvider,
} from "../schemas/connection-settings";

/** A tenant's identity provider. The migration creates it WITHOUT ROWID. */
export const connections = sqliteTable(
  "connections",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    name: text().notNull(),
    kind: text({ enum: CONNECTION_KINDS }).notNull(),
    /** Which presets and texts its forms show. */
    provider: text({ enum: CONNECTION_PROVIDERS }).notNull(),
    state: text({ enum: CONNECTION_STATES }).notNull(),
    /** 1: somebody who is no owner has changed it, and it signs nobody in before an owner activates it. */
    needsReview: integer("needs_review").notNull().default(0),
    /** Counts its changes. A flow ends with the version with which it began. */
    version: integer().notNull(),
    /** Counts the identity providers behind it: subjects of former ones count no more. */
    generation: integer().notNull(),
    settings: text({ mode: "json" }).$type<ConnectionSettings>().notNull(),
    /** The provider's document as it was last read; null: none was. */
    document: text({ mode: "json" }).$type<StoredProvider>(),
    documentReadAt: integer("document_read_at"),
    /** The client secret, encrypted; null: there is none. */
    secretSealed: text("secret_sealed"),
    /** The end of a secret that is long enough to show one. */
    secretLast4: text("secret_last4"),
    /** When a test last succeeded, and of which version. */
    testedAt: integer("tested_at"),
    testedVersion: integer("tested_version"),
    lastSignOnAt: integer("last_sign_on_at"),
    /** How many records its directory has in each state, and how many groups. Triggers count them. */
    directoryActive: integer("directory_active").notNull().default(0),
    directoryInactive: integer("directory_inactive").notNull().default(0),
    directoryHeld: integer("directory_held").notNull().default(0),
    directoryGroups: integer("directory_groups").notNull().default(0),
    /** When the directory last called, to the hour; null: never. */
    directoryRequestedAt: integer("directory_requested_at"),
    /** Up to when owners were told who has joined and left, and when that so many left at once. */
    directoryToldAt: integer("directory_told_at"),
    /** When it was noted that the directory has not called for a week; null: it never was. */
    directorySilentAt: integer("directory_silent_at"),
    directoryAlarmedAt: integer("directory_alarmed_at"),
    /** How many have left in the hour that began then; null: nobody ever has. */
    directoryLeft: integer("directory_left").notNull().default(0),
    directoryLeftSince: integer("directory_left_since"),
    /** Since when nobody gets in, though many try; null: somebody does. And when the owners were last mailed of it. */
    failingSince: integer("failing_since"),
    failingToldAt: integer("failing_told_at"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    index("connections_by_tenant").on(t.tenantId),
    index("connections_with_directory").on(t.directoryRequestedAt).where(sql`directory_requested_at IS NOT NULL`),
    index("connections_active").on(t.tenantId).where(sql`state = 'active'`),
  ],
);

/**
 * Who signs in as whom through a connection. Apart from `identities`, where one subject is one person for all tenants.
 * The migration creates it WITHOUT ROWID.
 */
export const connectionIdentities = sqliteTable(
  "connection_identities",
  {
    connectionId: text("connection_id").notNull(),
    generation: integer().notNull(),
    /** What the provider calls the person, which does not pass on to others as an address does. */
    subject: text().notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    /** The address that the provider last gave; null: it gave none. */
    email: text(),
    /** 1: the connection has made the account. */
    isMaker: integer("is_maker").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    /** Since when the person does not join again by signing on, because somebody has removed them; null: they do. */
    removedAt: integer("removed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.generation, t.subject] }),
    // An account has one subject of a connection.
    uniqueIndex("connection_identities_by_user").on(t.userId, t.connectionId, t.generation),
  ],
);

/**
 * The newest tests, refusals and refused sign-outs of a connection, in rings: 50, 100 and 20, of which the oldest is
 * written again. The migration creates it WITHOUT ROWID.
 */
export const signOnTraces = sqliteTable(
  "sign_on_traces",
  {
    connectionId: text("connection_id").notNull(),
    ring: text({ enum: ["test", "refusal", "logout"] }).notNull(),
    slot: integer().notNull(),
    id: text().notNull(),
    at: integer().notNull(),
    kind: text({ enum: ["test", "sign-on", "logout"] }).notNull(),
    outcome: text({ enum: ["started", "succeeded", "refused"] }).notNull(),
    /** The version of the connection that it is about. */
    version: integer().notNull(),
    step: text().notNull(),
    /** Null for one that was not refused. */
    reason: text(),
    /** What the message says beside the reason; JSON, of names and figures alone. */
    facts: text(),
    /** What the provider said of the person; JSON, encrypted. Null: nothing. */
    claimsSealed: text("claims_sealed"),
    /** What a sign-on would do; JSON. Null: it came to no person. */
    would: text(),
    /** Who has begun the test; null: a platform key, or it is no test. */
    userId: text("user_id"),
    /** The setup link whose session began the test; null: no link did. */
    setupId: text("setup_id"),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.ring, t.slot] }),
    // For the metric of all refusals.
    index("sign_on_traces_refused").on(t.at).where(sql`ring = 'refusal'`),
  ],
);

/** A domain that a tenant says is its own. The migration creates it WITHOUT ROWID. */
export const domains = sqliteTable(
  "domains",
  {
    tenantId: text("tenant_id").notNull(),
    /** In lower case, in ASCII. */
    domain: text().notNull(),
    state: text({ enum: ["pending", "proved", "lost"] }).notNull(),
    provedBy: text("proved_by", { enum: ["dns", "platform"] }),
    /** What the record said when it was proved: it still counts when SECRET_KEYS has changed. */
    provedValue: text("proved_value"),
    provedAt: integer("proved_at"),
    /** The last look-up that somebody asked for, or that has changed something. */
    checkedAt: integer("checked_at"),
    lastError: text("last_error"),
    /** On how many days in turn the daily look-up has not found the record, and when it last did not (Unix ms). */
    deniedDays: integer("denied_days").notNull(),
    deniedAt: integer("denied_at"),
    createdAt: integer("created_at").notNull(),
    /** 1: it was added with a setup link, and no sign-on counts it before an owner has looked at it. */
    needsReview: integer("needs_review").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.domain] }),
    // One domain, one tenant: of two checks at once, one wins.
    uniqueIndex("domains_proved").on(t.domain).where(sql`state = 'proved'`),
  ],
);
