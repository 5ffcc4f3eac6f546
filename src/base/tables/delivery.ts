/**
 * The tables of the delivery plane: subscriptions, events and deliveries. `tenants.shard` says in which database a
 * tenant's rows are. No statement joins them with the control plane, except for platform events: their tenant always is
 * in `DB`. Times are Unix ms. The migrations create tables with text keys WITHOUT ROWID, because D1 bills each row of
 * the index that another table would have for its key.
 */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

interface FormerState {
  /** When the change was made. */
  until: number;
  /** Null if the change kept it. */
  enabled: 0 | 1 | null;
  /** Null if the change kept them. */
  events: string[] | null;
}

/** A URL or a listener, with the event types that are sent to it and the encrypted secret that signs them. */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    /** The id that its tenant's system gave it, unique in the tenant; null: none. */
    externalId: text("external_id"),
    name: text().notNull(),
    url: text().notNull(),
    /** The user who chose the URL, also with an API key of theirs; null: nobody, or it was before this was stored. */
    setUpBy: text("set_up_by"),
    /** The user, or the key that belongs to none, whose listener it is; null: it has a URL. */
    listenerOf: text("listener_of"),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    secretSealed: text("secret_sealed").notNull(),
    /** A keyed digest of the secret. It shows whether an update changes the secret. */
    secretDigest: text("secret_digest").notNull(),
    /** When the present secret began to sign; null: since the subscription was made. */
    secretSince: integer("secret_since"),
    /** The headers that its user has set, as encrypted JSON; null: none. */
    headersSealed: text("headers_sealed"),
    /** When the kinds of signatures or the format of the body last changed; null: never. */
    formatSince: integer("format_since"),
    /** Until then a former secret signs too; it is in `signing_keys`. */
    formerSecretsUntil: integer("former_secrets_until").notNull().default(0),
    enabled: integer({ mode: "boolean" }).notNull(),
    isDeleted: integer("is_deleted", { mode: "boolean" }).notNull().default(false),
    version: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Its deliveries use the slow queue until then, because a send took 5 s or had no answer for 1 s. */
    slowUntil: integer("slow_until").notNull().default(0),
    /** True while it does not keep up. New deliveries then join its backlog, the outbox rows with `queue` = its id. */
    hasBacklog: integer("has_backlog", { mode: "boolean" }).notNull().default(false),
    /** The delivery options that are set (`options/delivery-options.ts`); null: all have their defaults. */
    options: text({ mode: "json" }).$type<Record<string, unknown>>(),
    /** Its deliveries wait until then, because its receiver asked for a pause. 0: none waits for that reason. */
    cooldownUntil: integer("held_until").notNull().default(0),
    /** The last start of its deliveries that was more than an hour ahead; 0: there is none under its current limits. */
    throttledUntil: integer("throttled_until").notNull().default(0),
    /** While deliveries are held or released in steps: the backlog up to this due time may be sent. 0: nothing may. */
    releasedTo: integer("released_to"),
    /** True if its tenant had no verified owner when it was made, until a send finds one. */
    onTrial: integer("on_trial", { mode: "boolean" }).notNull().default(false),
    /** How many deliveries the next step releases, and when the last step was taken. */
    releaseRate: integer("release_rate").notNull().default(0),
    releasedAt: integer("released_at"),
    /** Held deliveries up to this due time are dropped, because a user asked for it; null: none. */
    droppedTo: integer("dropped_to"),
    /** When it first answered 410 since its last success. */
    goneSince: integer("gone_since"),
    /** Why and when we disabled it; null for a subscription that is enabled or that its users have paused. */
    disabledReason: text("disabled_reason", { enum: ["failing", "gone"] }),
    disabledAt: integer("disabled_at"),
    /** Former values of `enabled` and `events`, oldest first (former-states-store.ts); null: they never changed. */
    formerStates: text("former_states", { mode: "json" }).$type<FormerState[]>(),
    /** The option `filter` as JSON; null: it receives all events of its types. */
    filter: text(),
    /** When the filter last changed; null: never. */
    filterSince: integer("filter_since"),
  },
  (t) => [
    index("subscriptions_by_tenant").on(t.tenantId, t.createdAt),
    uniqueIndex("subscriptions_by_external_id")
      .on(t.tenantId, t.externalId)
      .where(sql`external_id IS NOT NULL AND is_deleted = 0`),
    index("subscriptions_with_backlog").on(t.hasBacklog).where(sql`has_backlog = 1`),
    index("subscriptions_listeners")
      .on(t.tenantId, t.listenerOf)
      .where(sql`listener_of IS NOT NULL AND is_deleted = 0`),
    // Few are slow: a publish looks here whether one of its receivers is, and reads nothing of the others.
    index("subscriptions_slow").on(t.id).where(sql`slow_until > 0`),
    index("subscriptions_deleted").on(t.isDeleted).where(sql`is_deleted = 1`),
    index("subscriptions_filtered").on(t.tenantId).where(sql`filter IS NOT NULL`),
    index("subscriptions_by_host").on(sql`lower(substr(url, instr(url, '://') + 3, 255))`).where(sql`is_deleted = 0`),
  ],
);

/**
 * The subscriptions that fail: a row exists from the tenth failed attempt in a row until users have been told about
 * the next success. Healthy subscriptions have none, so the review of every minute reads the whole table.
 */
export const episodes = sqliteTable("episodes", {
  subscriptionId: text("subscription_id").primaryKey(),
  tenantId: text("tenant_id").notNull(),
  /** When the first attempt failed after the last success; null once a user has enabled the subscription again. */
  failingSince: integer("failing_since"),
  /** How far it has come: a value of `STAGE` in plane/stages.ts. */
  stage: integer().notNull().default(0),
  /** The stage that the newest mail reported. */
  mailedStage: integer("mailed_stage").notNull().default(0),
  /** When that mail was composed. The tenant and this time identify it. */
  mailedAt: integer("mailed_at").notNull().default(0),
  /** When the next held delivery is sent to see whether the subscriber works again; null for never. */
  probeAt: integer("probe_at"),
  /** True until that mail is in the queue. */
  isMailWaiting: integer("is_mail_waiting", { mode: "boolean" }).notNull().default(false),
});

/**
 * The keys of a subscription besides its present secret: former secrets, and its Ed25519 keys (`v1a`). Ended ones stay
 * for a while without their secret, because the delivery log needs them to say which keys signed an attempt.
 */
export const signingKeys = sqliteTable(
  "signing_keys",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** Time-ordered. */
    id: text().notNull(),
    kind: text({ enum: ["v1", "v1a"] }).notNull(),
    /** The secret, or the private key as PKCS #8 in base64; "" when the key has ended. */
    sealed: text().notNull(),
    /** The 32 bytes of an Ed25519 public key in base64; null for a secret. */
    public: text(),
    /** When it began to sign. A `v1a` key is published before it signs. */
    startsAt: integer("starts_at").notNull(),
    /** When it stops signing and, for `v1a`, being published; null for the newest `v1a` key. */
    expiresAt: integer("expires_at"),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.id] }),
    index("signing_keys_to_end").on(t.expiresAt).where(sql`sealed <> '' AND expires_at IS NOT NULL`),
  ],
);

/** The fan-out index: which enabled subscriptions of a tenant receive an event type. "*" stands for all types. */
export const subscriptionEvents = sqliteTable(
  "subscription_events",
  {
    tenantId: text("tenant_id").notNull(),
    eventType: text("event_type").notNull(),
    subscriptionId: text("subscription_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.eventType, t.subscriptionId] })],
);

/** One row for each delivery that is still owed; deleted when it ends. Its key is the order of work. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** "" for the main outbox queue, or the id of a subscription for its backlog. */
    queue: text().notNull(),
    /** When the next attempt is due. */
    dueAt: integer("due_at").notNull(),
    /** The delivery's id, sent as `webhook-id`. `deliveryIdOf` in db/ids.ts makes it. */
    id: text().notNull(),
    tenantId: text("tenant_id").notNull(),
    subscriptionId: text("subscription_id").notNull(),
    eventId: text("event_id").notNull(),
    kind: text({ enum: ["event", "retry", "test", "replay"] }).notNull(),
    /** How many attempts have ended, not counting interrupted ones. */
    attempts: integer().notNull().default(0),
    /** How many attempts ended because their consumer died. Each makes the next wait longer; none ends the delivery. */
    interruptions: integer().notNull().default(0),
    /** The id of the next attempt; null for the delivery's own id. Inserting an attempt with this id is the claim. */
    attemptId: text("attempt_id"),
    /** The size of the payload. */
    bytes: integer().notNull(),
    /**
     * When it should start if it waits because of a limit of its subscription; null if it never has. If it is earlier
     * than `dueAt`, the delivery waits for something else. 0 marks manual retries and tests in a backlog.
     */
    slotAt: integer("slot_at"),
  },
  (t) => [
    primaryKey({ columns: [t.queue, t.dueAt, t.id] }),
    index("outbox_in_line").on(t.subscriptionId, t.slotAt).where(sql`slot_at IS NOT NULL`),
  ],
);

/** The delivery log: one row per attempt, `pending` while it runs. */
export const attempts = sqliteTable(
  "attempts",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** Contains the time. The first attempt of a delivery has the delivery's own id. */
    id: text().notNull(),
    /** Null when it equals `id`. */
    deliveryId: text("delivery_id"),
    eventId: text("event_id").notNull(),
    eventType: text("event_type").notNull(),
    kind: text({ enum: ["event", "retry", "test", "replay"] }).notNull(),
    /** "moved" marks a placeholder: it has the planned id of an attempt that was claimed late as `nextId`. */
    status: text({ enum: ["pending", "success", "failed", "moved"] }).notNull(),
    /** The token of the consumer that runs it; null when it has ended. */
    claim: text(),
    responseCode: integer("response_code"),
    responseBody: text("response_body"),
    error: text(),
    attemptCount: integer("attempt_count").notNull(),
    attemptedAt: integer("attempted_at").notNull(),
    completedAt: integer("completed_at"),
    /** The next attempt of the delivery; null after the last one. */
    nextId: text("next_id"),
    /** A response body of more than 800 bytes, compressed if that makes it shorter. `responseBody` is then null. */
    longBody: blob("long_body"),
    /** Headers of the answer: lines of `keptHeaders`. */
    responseHeaders: text("response_headers"),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.id] })],
);

/** The latest manual retry of an event to a subscription. At most one is open. */
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

/** The results of a subscription's attempts, counted in the hour in which they were recorded. */
export const hourlyStats = sqliteTable(
  "hourly_stats",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** The start of the hour. */
    hour: integer().notNull(),
    succeeded: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** How many attempts had failed since the last success. The newest row has the current count. */
    failureCount: integer("failure_count").notNull().default(0),
    /**
     * When the first request failed after the last success, and how many have since; null and 0 after a success.
     * Enabling a subscription starts the count anew, at that time. The newest row has the current values.
     */
    failingSince: integer("failing_since"),
    sentFailures: integer("sent_failures").notNull().default(0),
    /** How many answers and timeouts had a latency in each bucket. `plane/latency.ts` has the bounds. */
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

/** Replays: jobs that send a subscription's events of a period again. At most one per subscription is running. */
export const replayJobs = sqliteTable(
  "replay_jobs",
  {
    subscriptionId: text("subscription_id").notNull(),
    /** Time-ordered. */
    id: text().notNull(),
    tenantId: text("tenant_id").notNull(),
    /** What it sends: `ReplaySpec` in `replays/store.ts`. */
    spec: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    state: text({ enum: ["running", "finished", "stopped"] }).notNull(),
    /** The last id that was read: of an event or, where failed deliveries are sent again, of an attempt. */
    cursor: text().notNull(),
    /** How many deliveries it has queued. */
    queued: integer().notNull().default(0),
    /** The time up to which its rate is used up. */
    pacedAt: integer("paced_at").notNull(),
    createdAt: integer("created_at").notNull(),
    /** When it finished or was stopped. */
    endedAt: integer("ended_at"),
    idempotencyKey: text("idempotency_key"),
    /** SHA-256 of the request with the Idempotency-Key. Another request with the same key is a conflict. */
    requestHash: text("request_hash"),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.id] }),
    uniqueIndex("replay_jobs_running").on(t.subscriptionId).where(sql`state = 'running'`),
  ],
);
