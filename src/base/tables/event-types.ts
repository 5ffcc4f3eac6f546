/**
 * Event types and their schemas, in the delivery database of their tenant, and catalogues, in the control plane. The
 * migrations make them WITHOUT ROWID.
 */
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** The rules that publishing obeys. A tenant without event types and without a mode has no row. */
export const publishRules = sqliteTable("publish_rules", {
  tenantId: text("tenant_id").primaryKey(),
  /** Increases with each change of the tenant's event types or mode. */
  revision: integer().notNull(),
  mode: text({ enum: ["open", "known", "validated"] }).notNull(),
});

/** The types that a tenant, or the platform, has declared. */
export const eventTypes = sqliteTable(
  "event_types",
  {
    tenantId: text("tenant_id").notNull(),
    name: text().notNull(),
    description: text(),
    /** The heading under which lists show it. */
    heading: text(),
    enforce: text({ enum: ["off", "warn", "reject"] }).notNull(),
    isArchived: integer("is_archived").notNull().default(0),
    /** JSON: since when (Unix ms), a note, and what replaces it; null: it is not. */
    deprecated: text({ mode: "json" }).$type<{ since: number; note?: string; replacedBy?: string }>(),
    /** 0: it has no schema. */
    latestVersion: integer("latest_version").notNull(),
    /** How many events were published with a warning, and when the last one was; counted once a minute and isolate. */
    warnedCount: integer("warned_count").notNull().default(0),
    warnedAt: integer("warned_at"),
    /** What its versions take with their examples. */
    storedBytes: integer("stored_bytes").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
);

/** The versions of a schema. Version 0 of a type has no schema, only examples. */
export const eventTypeVersions = sqliteTable(
  "event_type_versions",
  {
    tenantId: text("tenant_id").notNull(),
    name: text().notNull(),
    version: integer().notNull(),
    /** JSON text; null for version 0. */
    schema: text(),
    /** JSON: a list of payloads; null: none. */
    examples: text(),
    /** JSON: what it breaks since the version before; null: nothing. */
    breaks: text(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name, t.version] })],
);

/** The public pages that show the event types of a tenant. A tenant that has chosen no slug has no row. */
export const catalogs = sqliteTable(
  "catalogs",
  {
    /** The part of the address that names the catalogue. */
    slug: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    isPublic: integer("is_public").notNull(),
    /** Null: the slug. */
    title: text(),
    description: text(),
  },
  (t) => [uniqueIndex("catalogs_by_tenant").on(t.tenantId)],
);

/** A file of a catalogue as it was made last, in the delivery database of the tenant. */
export const catalogFiles = sqliteTable(
  "catalog_files",
  {
    tenantId: text("tenant_id").notNull(),
    format: text({ enum: ["openapi", "asyncapi", "typescript"] }).notNull(),
    /** What it was made of; "" until it is made. */
    madeOf: text("made_of").notNull().default(""),
    etag: text(),
    /** Null: it would be too large. */
    body: text(),
    /** When somebody began to make it, Unix ms. */
    takenAt: integer("taken_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.format] })],
);
