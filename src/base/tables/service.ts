/**
 * Tables of the control plane about the service itself: its alarms, mails, keys, databases, queues and deletions.
 * Times are Unix ms.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { TOKEN_ALGORITHMS } from "../crypto/signing-keys";
import type { Locale } from "../schemas/locales";

/**
 * What is wrong with the service: a row exists until somebody has been told that it is over. The migration creates it
 * WITHOUT ROWID.
 */
export const alarms = sqliteTable("alarms", {
  /** A kind of `service/alarms/findings.ts` and what it is about, such as "deliveriesLate:1". */
  finding: text().primaryKey(),
  /** When the cron found it. */
  notedAt: integer("noted_at").notNull(),
  /** When it began, if that is known; otherwise when the cron found it. */
  since: integer().notNull(),
  /** Null while it lasts. */
  endedAt: integer("ended_at"),
  /** Whether people have been told that it began. */
  isTold: integer("is_told", { mode: "boolean" }).notNull().default(false),
  /** Until this time, one run of the cron is sending it. */
  claimedUntil: integer("claimed_until").notNull().default(0),
});

/** One row while mails cannot be sent: it exists from the first failure until the next mail that is sent. */
export const mailFailures = sqliteTable("mail_failures", {
  id: integer().primaryKey(),
  since: integer().notNull(),
  tries: integer().notNull(),
});

/** One row while the former service does not answer: from the first failure until its next answer. */
export const legacyLoginFailures = sqliteTable("legacy_login_failures", {
  id: integer().primaryKey(),
  since: integer().notNull(),
  tries: integer().notNull(),
});

/** One row: what the last pass over all encrypted columns found. */
export const keyChecks = sqliteTable("key_checks", {
  id: integer().primaryKey(),
  /** The ids of the keys in SECRET_KEYS at that time, newest first. */
  ring: text().notNull(),
  /** A JSON array: the ids of the keys that stored secrets need and SECRET_KEYS did not have. */
  missing: text().notNull().default(sql`'[]'`),
  /** When that pass ended. */
  checkedAt: integer("checked_at").notNull().default(0),
});

/** One row, from the first event type of the platform on: its revision increases with each change of them. */
export const platformRules = sqliteTable("platform_rules", {
  id: integer().primaryKey(),
  revision: integer().notNull(),
});

/** When each key of SECRET_KEYS was last the first one, by its id. */
export const firstKeys = sqliteTable("first_keys", {
  id: text().primaryKey(),
  lastFirstAt: integer("last_first_at").notNull(),
});

/** Who signs tokens, and who did: a key, an algorithm and an issuer. The migration creates it WITHOUT ROWID. */
export const tokenSigners = sqliteTable(
  "token_signers",
  {
    kid: text().notNull(),
    alg: text({ enum: TOKEN_ALGORITHMS }).notNull(),
    issuer: text().notNull(),
    /** Since when it is published; 0 for one that tokens were signed by before this table, and for the first. */
    seenAt: integer("seen_at").notNull(),
    /** When it was found to sign no longer; null before that. */
    retiredAt: integer("retired_at"),
    /** Of an RSA key that we have made: the entry of SECRET_KEYS under which it is encrypted, and it. */
    keyId: text("key_id"),
    privateSealed: text("private_sealed"),
  },
  (t) => [
    primaryKey({ columns: [t.kid, t.alg, t.issuer] }),
    uniqueIndex("token_signers_by_entry").on(t.keyId).where(sql`private_sealed IS NOT NULL`),
  ],
);

/** Which access tokens were revoked while they could still be valid. The migration creates it WITHOUT ROWID. */
export const revocations = sqliteTable(
  "revocations",
  {
    /** Unix seconds, rounded up: tokens that were issued until then are revoked. */
    at: integer().notNull(),
    /** Whose tokens: see identity/tokens/revocations-store.ts. */
    key: text().notNull(),
    /** Of a session: whose it was. */
    userId: text("user_id"),
    /** Of a user: the tenants whose members they were, as a JSON array. */
    tenants: text(),
  },
  (t) => [primaryKey({ columns: [t.at, t.key] })],
);

/** How many messages have ended as dead letters in an hour. The migration creates it WITHOUT ROWID. */
export const deadLetters = sqliteTable(
  "dead_letters",
  {
    /** The start of the hour. */
    hour: integer().notNull(),
    queue: text().notNull(),
    messages: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.hour, t.queue] })],
);

/** The size of each delivery database, as the hourly cron read it. */
export const shards = sqliteTable("shards", {
  shard: integer().primaryKey(),
  bytes: integer().notNull(),
  notedAt: integer("noted_at").notNull(),
  /**
   * What the hourly cron has counted for `/metrics`: `Totals` in `service/metrics/totals.ts`; null before its first
   * run.
   */
  totals: text({ mode: "json" }).$type<Record<string, unknown>>(),
  /**
   * From then on, long payloads are stored compressed: a day after the first upkeep of a version that can read them. So
   * an older version that still runs, or to which one goes back on that day, meets none.
   */
  compressesFrom: integer("compresses_from"),
  /** The last event that was counted for the usage of its tenant; null: none. */
  countedTo: text("counted_to"),
  /** How much its tenants store: `StorageCount` in `webhooks/stats/intake-store.ts`; null before the first count. */
  storageCount: text("storage_count", { mode: "json" }).$type<Record<string, unknown>>(),
});

/**
 * What each tenant has published in a month, as the upkeep counts it. The migration creates it WITHOUT ROWID.
 */
export const monthlyUsage = sqliteTable(
  "monthly_usage",
  {
    tenantId: text("tenant_id").notNull(),
    /** Such as "2026-11", in UTC. */
    month: text().notNull(),
    events: integer().notNull(),
    deliveries: integer().notNull(),
    /** Of the payloads. */
    bytes: integer().notNull(),
    /** The last event that was counted: none is counted twice, also by another database after a move. */
    countedTo: text("counted_to").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.month] })],
);

/**
 * The mails that must not be sent twice, such as alarms, by the id of their job: those that were sent or are being
 * sent.
 */
export const alertMails = sqliteTable(
  "alert_mails",
  {
    id: text().primaryKey(),
    /** When a consumer began to send it. */
    claimedAt: integer("claimed_at").notNull(),
    /** Null until the provider has accepted it. */
    sentAt: integer("sent_at"),
  },
  // The mails about subscriptions end with the ids of a tenant and a person.
  () => [
    index("alert_mails_by_tenant").on(sql`substr(id, -73, 36)`),
    index("alert_mails_by_person").on(sql`substr(id, -36)`),
  ],
);

/**
 * Deletions under way: a row exists from the moment an account or a tenant is deleted until nothing of it is left and
 * the mail is queued.
 * `lifecycle/deletion/steps.ts` says what is removed, step by step.
 */
export const purges = sqliteTable(
  "purges",
  {
    id: text().primaryKey(),
    kind: text({ enum: ["user", "tenant"] }).notNull(),
    /** Of the user or the tenant. */
    subjectId: text("subject_id").notNull(),
    /** The purge of the account that the tenant was deleted with; null for any other. */
    partOf: text("part_of"),
    /** The delivery database of a tenant; null for a user, whose audit events are in all of them. */
    shard: integer(),
    /** The database from which a tenant was moved, while that has rows of it; null: none. */
    formerShard: integer("former_shard"),
    /** The former address of a user; null for a tenant. */
    email: text(),
    /** Where the confirmation goes: the same address; null for a tenant, and for an address that was never verified. */
    mailTo: text("mail_to"),
    /** The name of the user or the tenant, for the mail. */
    name: text(),
    /** The language of a user, for the mail; null for that of the service. */
    locale: text().$type<Locale>(),
    /** JSON array: the ids of the users who are told that their tenant is gone; of many, those of the first page. */
    members: text().notNull().default("[]"),
    createdAt: integer("created_at").notNull(),
    /** The name of the step that comes next; "" for the first one. */
    step: text().notNull().default(""),
    /** How far that step has come. */
    cursor: text().notNull().default(""),
    /** When it continues. While a run works on it, this is when another run may take it over. */
    runAt: integer("run_at").notNull(),
  },
  (t) => [index("purges_by_run").on(t.runAt), index("purges_by_part").on(t.partOf).where(sql`part_of IS NOT NULL`)],
);

/** Further pages of whom a purge tells, because a value has a bound. The migration creates it WITHOUT ROWID. */
export const purgeMembers = sqliteTable(
  "purge_members",
  {
    purgeId: text("purge_id").notNull(),
    /** How many members are on earlier pages. */
    position: integer().notNull(),
    /** As those of `purges`. */
    members: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.purgeId, t.position] })],
);

/**
 * The moves of tenants from one delivery database to another, by operators. A row stays for as long as the operators'
 * page shows it.
 */
export const tenantMoves = sqliteTable(
  "tenant_moves",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    fromShard: integer("from_shard").notNull(),
    toShard: integer("to_shard").notNull(),
    /** A value of `MoveStep` in service/moves/store.ts. */
    step: text().notNull(),
    /** How far that step has come; "" for its beginning. */
    cursor: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
    /** When the tenant began to use its new database; null before that. */
    movedAt: integer("moved_at"),
    /** When nothing of it was left in its former database; null before that. */
    endedAt: integer("ended_at"),
    /** What it stores in the former database, as the hourly upkeep has counted it; 0 while that is little. */
    storedBytes: integer("stored_bytes").notNull().default(0),
    /** How many fences have ended before everything was copied. */
    lapses: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex("tenant_moves_open").on(t.tenantId).where(sql`ended_at IS NULL`),
    index("tenant_moves_by_tenant").on(t.tenantId, t.createdAt),
    index("tenant_moves_storing").on(t.fromShard).where(sql`stored_bytes > 0`),
  ],
);
