/**
 * Feeds: lists of events that programs pull. In each delivery database, except `feed_tokens`, which is in the control
 * plane, because a request names its tenant by the token alone. The migration creates all of them WITHOUT ROWID.
 */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The lists of events that programs pull. */
export const feeds = sqliteTable(
  "feeds",
  {
    tenantId: text("tenant_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The greatest position of an entry of the feed that retention has removed; at first, where the feed began. */
    trimmedTo: integer("trimmed_to").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] })],
);

/** Which feeds list an event type, and since which position. "*" stands for all types. */
export const feedTypes = sqliteTable(
  "feed_types",
  {
    tenantId: text("tenant_id").notNull(),
    eventType: text("event_type").notNull(),
    feedId: text("feed_id").notNull(),
    fromPosition: integer("from_position").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.eventType, t.feedId] })],
);

/** The events that feeds list, in the order of their commits, one row however many feeds list it. */
export const feedEntries = sqliteTable(
  "feed_entries",
  {
    tenantId: text("tenant_id").notNull(),
    /** At least the time of the commit in microseconds, and greater than that of every entry before it. */
    position: integer().notNull(),
    eventId: text("event_id").notNull(),
    type: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.position] })],
);

/** The greatest position that retention has removed of a tenant, so that none is given twice. */
export const feedLogs = sqliteTable("feed_logs", {
  tenantId: text("tenant_id").primaryKey(),
  trimmedTo: integer("trimmed_to").notNull(),
});

/** How far the consumers of a feed have come. */
export const feedConsumers = sqliteTable(
  "feed_consumers",
  {
    tenantId: text("tenant_id").notNull(),
    feedId: text("feed_id").notNull(),
    name: text().notNull(),
    position: integer().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.feedId, t.name] })],
);

/** The tokens of feeds. A tenant has feeds if it has rows here. */
export const feedTokens = sqliteTable(
  "feed_tokens",
  {
    /** SHA-256 in hex. */
    hash: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    feedId: text("feed_id").notNull(),
    /** Its first characters. */
    prefix: text().notNull(),
    /** The user to whom it was shown; null: a program that belongs to no user, or it was before this was stored. */
    madeBy: text("made_by"),
    createdAt: integer("created_at").notNull(),
    /** Null for the newest one. */
    expiresAt: integer("expires_at"),
  },
  (t) => [index("feed_tokens_by_tenant").on(t.tenantId, t.feedId)],
);
