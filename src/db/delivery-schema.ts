/**
 * The delivery plane: subscriptions, events and deliveries. Every delivery database (`DB`, `SHARD_1`, ...) has these tables, and a
 * tenant's rows are in the one that `tenants.shard` names. Nothing joins them with the control plane. Times are Unix ms.
 * The tables with text keys are WITHOUT ROWID (see migrations), because an ordinary table keeps its text key as a second index,
 * which D1 bills as a second row.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const subscriptions = sqliteTable(
  "subscriptions",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    name: text().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    secretSealed: text("secret_sealed").notNull(),
    /** Keyed digest of the secret: an update to the same secret is no change. */
    secretDigest: text("secret_digest").notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    isDeleted: integer("is_deleted", { mode: "boolean" }).notNull().default(false),
    version: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Until then its deliveries use the slow queue: a send took 5 s, or gave no answer for 1 s. */
    slowUntil: integer("slow_until").notNull().default(0),
    /** 1 while it does not keep up and its deliveries wait in an outbox queue of their own. */
    hasBacklog: integer("has_backlog", { mode: "boolean" }).notNull().default(false),
    /** The delivery options that are set (`subscriptions/delivery-options.ts`); null: all have their defaults. */
    options: text({ mode: "json" }).$type<Record<string, unknown>>(),
    /** Its deliveries wait until then, because it asked for that. 0 when none waits for that reason. */
    heldUntil: integer("held_until").notNull().default(0),
    /** When it first answered 410 since its last success. */
    goneSince: integer("gone_since"),
    /** Why and when we disabled it; null for a subscription that is enabled or that its users have paused. */
    disabledReason: text("disabled_reason", { enum: ["gone"] }),
    disabledAt: integer("disabled_at"),
  },
  (t) => [
    index("subscriptions_by_tenant").on(t.tenantId, t.createdAt),
    index("subscriptions_with_backlog").on(t.hasBacklog).where(sql`has_backlog = 1`),
    index("subscriptions_deleted").on(t.isDeleted).where(sql`is_deleted = 1`),
  ],
);

/** Fan-out index: which enabled subscriptions of a tenant want an event type ("*" stands for all). */
export const subscriptionEvents = sqliteTable(
  "subscription_events",
  {
    tenantId: text("tenant_id").notNull(),
    eventType: text("event_type").notNull(),
    subscriptionId: text("subscription_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.eventType, t.subscriptionId] })],
);

export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    type: text().notNull(),
    /** The body that subscribers get, byte for byte as it was published. */
    payload: text().notNull(),
    correlationId: text("correlation_id"),
    deliveryCount: integer("delivery_count").notNull(),
    /** The last subscription that has its delivery while a wide fan-out goes on; null when all have. */
    fanOutAfter: text("fan_out_after"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("events_to_fan_out").on(t.createdAt).where(sql`fan_out_after IS NOT NULL`)],
);

/** Which event an Idempotency-Key stands for, for 24 hours. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    eventId: text("event_id").notNull(),
    /** SHA-256 of what was published: another body under the same key is a conflict. */
    requestHash: text("request_hash").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] })],
);

/** The outbox: one row for each delivery that is owed, and none for those that have ended. Its key is the order of work. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** "" for what goes out when it is due; a subscription's id for what waits because that subscription does not keep up. */
    queue: text().notNull(),
    /** When the next attempt is due. */
    dueAt: integer("due_at").notNull(),
    /** The delivery's id, sent as `webhook-id`; see `deliveryIdOf` in db/ids.ts. */
    id: text().notNull(),
    tenantId: text("tenant_id").notNull(),
    subscriptionId: text("subscription_id").notNull(),
    eventId: text("event_id").notNull(),
    kind: text({ enum: ["event", "retry", "test"] }).notNull(),
    /** Attempts that have ended; an interrupted one does not count. */
    attempts: integer().notNull().default(0),
    /** Attempts that a dead consumer left; they put the delivery off further each time, and never end it. */
    interruptions: integer().notNull().default(0),
    /** The id that the next attempt will have, which makes its INSERT the claim; null: the delivery's own id. */
    attemptId: text("attempt_id"),
    /** Size of the payload. */
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.queue, t.dueAt, t.id] })],
);

/** The delivery log: one row per attempt, `pending` while it runs. */
export const attempts = sqliteTable(
  "attempts",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** Time-ordered. The first attempt of a delivery has the delivery's own id. */
    id: text().notNull(),
    /** Null when it is the same as `id`. */
    deliveryId: text("delivery_id"),
    eventId: text("event_id").notNull(),
    eventType: text("event_type").notNull(),
    kind: text({ enum: ["event", "retry", "test"] }).notNull(),
    /** "moved": a placeholder under the planned id of an attempt that began late; the attempt itself is the row `nextId`. */
    status: text({ enum: ["pending", "success", "failed", "moved"] }).notNull(),
    /** Token of the consumer that runs it; null when it has ended. */
    claim: text(),
    responseCode: integer("response_code"),
    responseBody: text("response_body"),
    error: text(),
    attemptCount: integer("attempt_count").notNull(),
    attemptedAt: integer("attempted_at").notNull(),
    completedAt: integer("completed_at"),
    /** The delivery's next attempt; null after the last one. */
    nextId: text("next_id"),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.id] })],
);

/** The latest manual retry of an event to a subscription: at most one is open. */
export const manualRetries = sqliteTable(
  "manual_retries",
  {
    subscriptionId: text("subscription_id").notNull(),
    eventId: text("event_id").notNull(),
    deliveryId: text("delivery_id").notNull(),
    state: text({ enum: ["open", "success", "failed"] }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.eventId] })],
);

/** What a subscription's attempts of one hour came to, by the hour in which they were recorded. */
export const hourlyStats = sqliteTable(
  "hourly_stats",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** Its start. */
    hour: integer().notNull(),
    succeeded: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** Failed attempts since the last success; the newest row tells the present count. */
    failureCount: integer("failure_count").notNull().default(0),
    /** Answers by their latency, and timeouts: the bounds are in `stats/latency.ts`. */
    latency0: integer("latency_0").notNull().default(0),
    latency1: integer("latency_1").notNull().default(0),
    latency2: integer("latency_2").notNull().default(0),
    latency3: integer("latency_3").notNull().default(0),
    latency4: integer("latency_4").notNull().default(0),
    latency5: integer("latency_5").notNull().default(0),
    latency6: integer("latency_6").notNull().default(0),
    latency7: integer("latency_7").notNull().default(0),
    latency8: integer("latency_8").notNull().default(0),
    latency9: integer("latency_9").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.hour] })],
);
