/** Sources: the URLs at which other systems send webhooks. In the control plane. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The URLs at which other systems send webhooks, with their encrypted secrets. The migration creates it WITHOUT ROWID.
 */
export const sources = sqliteTable(
  "sources",
  {
    /** `src_` and 28 base62 characters, of which 6 are a checksum. */
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    name: text().notNull(),
    provider: text().notNull(),
    /** JSON, encrypted: a list of `{id, secret, createdAt}`. */
    secretsSealed: text("secrets_sealed").notNull(),
    /** JSON: the options that are set. */
    options: text().notNull(),
    isEnabled: integer("is_enabled").notNull(),
    /** The user who made it or last added a secret; null: no user, or it was before this was stored. */
    setUpBy: text("set_up_by"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** When it last relayed an event, to the minute. */
    lastEventAt: integer("last_event_at"),
  },
  (t) => [index("sources_by_tenant").on(t.tenantId)],
);

/** The newest refusals of a source, 25 for each reason. The migration creates it WITHOUT ROWID. */
export const sourceErrors = sqliteTable(
  "source_errors",
  {
    sourceId: text("source_id").notNull(),
    reason: text().notNull(),
    /** 0 to 24; the oldest one is written again. */
    slot: integer().notNull(),
    at: integer().notNull(),
    /** How many calls were refused since the one before. */
    count: integer().notNull(),
    /** The size of the last body. */
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sourceId, t.reason, t.slot] })],
);
