/** The tables of the control plane with which people are imported. Times are Unix ms. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Imports of people: how far each has come, and what it has counted. */
export const imports = sqliteTable(
  "imports",
  {
    id: text().primaryKey(),
    name: text(),
    dryRun: integer("dry_run", { mode: "boolean" }).notNull(),
    onExisting: text("on_existing", { enum: ["skip", "update"] }).notNull(),
    state: text({ enum: ["open", "running", "finished", "stopped"] }).notNull(),
    /** JSON: the platform key that has started it, as an `Actor`; before that, the one that has created it. */
    actor: text().notNull(),
    /** Whether each platform key that had a part in it may add members: else rows with memberships are refused. */
    takesMemberships: integer("takes_memberships", { mode: "boolean" }).notNull().default(true),
    /** How many people its parts have. */
    rows: integer().notNull(),
    created: integer().notNull(),
    updated: integer().notNull(),
    skipped: integer().notNull(),
    refused: integer().notNull(),
    /** How many of the created and updated people have come without the password of their row. */
    withoutPassword: integer("without_password").notNull().default(0),
    /** How many lines are done, over all parts. */
    line: integer().notNull(),
    /** How many lines are done of its first chunk. */
    position: integer().notNull(),
    /** The run that works on it, and until when that run is believed to be alive. */
    lease: text().notNull(),
    leasedUntil: integer("leased_until").notNull(),
    /** How many runs in a row have failed without moving on. */
    failures: integer().notNull().default(0),
    /** Whether nothing but the report is left of an import that has ended. */
    isCleared: integer("is_cleared", { mode: "boolean" }).notNull(),
    createdAt: integer("created_at").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
  },
  (t) => [
    index("imports_not_ended").on(t.state, t.startedAt, t.id).where(sql`state IN ('open', 'running')`),
    index("imports_to_clear").on(t.endedAt).where(sql`ended_at IS NOT NULL AND is_cleared = 0`),
  ],
);

/** The parts that were sent for an import. */
export const importParts = sqliteTable(
  "import_parts",
  {
    importId: text("import_id").notNull(),
    part: integer().notNull(),
    /** SHA-256 of its bytes. */
    hash: text().notNull(),
    rows: integer().notNull(),
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.part] })],
);

/** The lines of the parts, until they are read. A value of D1 has at most 2 MB, so a part has several chunks. */
export const importChunks = sqliteTable(
  "import_chunks",
  {
    importId: text("import_id").notNull(),
    part: integer().notNull(),
    n: integer().notNull(),
    /** Encrypted lines. */
    sealed: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.part, t.n] })],
);

/** What became of the lines, up to 50 in a row. */
export const importReports = sqliteTable(
  "import_reports",
  {
    importId: text("import_id").notNull(),
    lastLine: integer("last_line").notNull(),
    /** JSON array. Addresses and external ids stand only where there is no user to take them from. */
    entries: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.lastLine] })],
);

/**
 * What a dry run would have written, until it ends: later rows meet the earlier ones there. The migration creates it
 * WITHOUT ROWID.
 */
export const importTrials = sqliteTable(
  "import_trials",
  {
    importId: text("import_id").notNull(),
    /** "person:<id>", or what a person is found by, such as "email:<address>". */
    key: text().notNull(),
    /** The person in JSON, or their id. */
    value: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.key] })],
);

/** What the hashes of an import need besides themselves; encrypted JSON. The id is that of the import. */
export const hashSettings = sqliteTable("hash_settings", {
  id: text().primaryKey(),
  sealed: text().notNull(),
  createdAt: integer("created_at").notNull(),
});
