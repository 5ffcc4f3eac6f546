/** The tables of what is published, in each delivery database. The rest is in `delivery.ts`. */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What tenants have published. */
export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    type: text().notNull(),
    /** The body that subscribers receive, byte for byte as it was published. */
    payload: text().notNull(),
    correlationId: text("correlation_id"),
    deliveryCount: integer("delivery_count").notNull(),
    /** While a wide fan-out is unfinished: the last subscription whose delivery exists. Null when all exist. */
    fanOutAfter: text("fan_out_after"),
    createdAt: integer("created_at").notNull(),
    /** The size of a payload that is in `longPayload`; null for any other. */
    longBytes: integer("long_bytes"),
    /** A payload above 800 bytes, compressed if that is shorter (`stored-text.ts`). `payload` is then "null". */
    longPayload: blob("long_payload"),
    /** The key by which the publisher orders its events; null without one. */
    orderKey: text("order_key"),
    /** The event's number within `orderKey`, from 1. */
    orderSequence: integer("order_sequence"),
    /** JSON: the ids of the subscriptions whose filters did not let it through; null: none. */
    filtered: text(),
    /** How many of our own sources it has come through; null: none. */
    hops: integer(),
    /** The subscription that alone receives it, as a test; null: it was published. */
    testOf: text("test_of"),
  },
  (t) => [index("events_to_fan_out").on(t.createdAt).where(sql`fan_out_after IS NOT NULL`)],
);

/**
 * The tenants that have ever had an event here: nothing of others is searched for. A trigger of the migration writes
 * it, whatever writes the event. The row of "" says since when that is known.
 */
export const publishers = sqliteTable("publishers", {
  tenantId: text("tenant_id").primaryKey(),
  /** Of its first event, Unix ms. */
  since: integer().notNull(),
  /** Of its newest event, in days since 1970; in the row of "", that since which the days are known. */
  newestDay: integer("newest_day").notNull().default(0),
  /** Bit n: whether it published n days before the newest one. */
  days: integer().notNull().default(0),
});

/** The event that was published with an Idempotency-Key, for 24 hours. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    eventId: text("event_id").notNull(),
    /** SHA-256 of what was published. Another body with the same key is a conflict. */
    requestHash: text("request_hash").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] })],
);

/** The greatest number of the events of a tenant's order key. */
export const orderSequences = sqliteTable(
  "order_sequences",
  {
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    last: integer().notNull(),
    /** When an event was last numbered, Unix ms. */
    usedAt: integer("used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] })],
);
