/** The data model on one page. Times are Unix milliseconds; ids are UUIDv7; secrets are sealed or hashed. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Permission, Role } from "../tenants/roles";

export const tenants = sqliteTable("tenants", {
  id: text().primaryKey(),
  name: text().notNull(),
  /** The delivery database that holds its subscriptions, events and deliveries: 0 is `DB`, n is `SHARD_n`. */
  shard: integer().notNull().default(0),
  createdAt: integer("created_at").notNull(),
});

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  /** NFKC-normalised and lower-cased. */
  email: text().notNull().unique(),
  name: text(),
  /** PHC string. */
  passwordHash: text("password_hash").notNull(),
  emailVerifiedAt: integer("email_verified_at"),
  verificationMailedAt: integer("verification_mailed_at"),
  totpSecretSealed: text("totp_secret_sealed"),
  totpEnabledAt: integer("totp_enabled_at"),
  /** Last TOTP time step that was accepted: a code works once (RFC 6238 section 5.2). */
  totpLastStep: integer("totp_last_step").notNull().default(0),
  createdAt: integer("created_at").notNull(),
});

export const memberships = sqliteTable(
  "memberships",
  {
    tenantId: text("tenant_id").notNull(),
    userId: text("user_id").notNull(),
    role: text().$type<Role>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.userId] }), index("memberships_by_user").on(t.userId)],
);

/** One row per login; the refresh token's generation counts up in place. */
export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    generation: integer().notNull(),
    /** SHA-256 of the current refresh token. */
    refreshTokenHash: text("refresh_token_hash").notNull(),
    rotatedAt: integer("rotated_at").notNull(),
    /** SHA-256 of the Idempotency-Key of the last rotation. */
    rotationKeyHash: text("rotation_key_hash"),
    deviceName: text("device_name"),
    browser: text(),
    operatingSystem: text("operating_system"),
    platform: text(),
    ipAddress: text("ip_address"),
    location: text(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    lastActivityAt: integer("last_activity_at").notNull(),
  },
  (t) => [index("sessions_by_user").on(t.userId), index("sessions_by_expiry").on(t.expiresAt)],
);

/** Tokens that travel by mail: verification, password reset, invitation. Only the SHA-256 is kept. */
export const emailTokens = sqliteTable(
  "email_tokens",
  {
    hash: text().primaryKey(),
    purpose: text({ enum: ["verify", "reset", "invite"] }).notNull(),
    /** User id, or invitation id for "invite". */
    subjectId: text("subject_id").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (t) => [index("email_tokens_by_subject").on(t.subjectId, t.purpose), index("email_tokens_by_expiry").on(t.expiresAt)],
);

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { userId: text("user_id").notNull(), codeHash: text("code_hash").notNull(), usedAt: integer("used_at") },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    userId: text("user_id").notNull(),
    name: text().notNull(),
    prefix: text().notNull(),
    /** SHA-256 of the whole key. */
    keyHash: text("key_hash").notNull().unique(),
    scopes: text({ mode: "json" }).$type<Permission[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [index("api_keys_by_user").on(t.userId, t.tenantId)],
);

export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    invitedBy: text("invited_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    acceptedAt: integer("accepted_at"),
    acceptedBy: text("accepted_by"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [index("invitations_by_tenant").on(t.tenantId), index("invitations_by_expiry").on(t.expiresAt)],
);

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
    lastTriggeredAt: integer("last_triggered_at"),
    /** Failed attempts since the last success. */
    failureCount: integer("failure_count").notNull().default(0),
    /** Until then its deliveries use the slow lane: it timed out lately. */
    slowUntil: integer("slow_until").notNull().default(0),
    /** Counts of its attempt rows, kept as they change so that metrics never scan the log. */
    pendingAttempts: integer("pending_attempts").notNull().default(0),
    succeededAttempts: integer("succeeded_attempts").notNull().default(0),
    failedAttempts: integer("failed_attempts").notNull().default(0),
  },
  (t) => [
    index("subscriptions_by_tenant").on(t.tenantId, t.createdAt),
    // Those that may need attention, the worst last; a healthy one is not in it and pays nothing for it.
    index("subscriptions_to_watch")
      .on(t.tenantId, t.failureCount, t.slowUntil, t.enabled)
      .where(sql`is_deleted = 0 AND (failure_count > 0 OR slow_until > 0 OR enabled = 0)`),
  ],
);

/** Fan-out index: which subscriptions of a tenant want an event type ("*" stands for all). */
export const subscriptionEvents = sqliteTable(
  "subscription_events",
  {
    tenantId: text("tenant_id").notNull(),
    eventType: text("event_type").notNull(),
    subscriptionId: text("subscription_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.eventType, t.subscriptionId] }),
    index("subscription_events_by_subscription").on(t.subscriptionId),
  ],
);

export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    type: text().notNull(),
    /** The exact body that subscribers get. */
    payload: text().notNull(),
    correlationId: text("correlation_id"),
    idempotencyKey: text("idempotency_key"),
    requestHash: text("request_hash"),
    deliveryCount: integer("delivery_count").notNull().default(0),
    /** The last subscription that has its delivery while others still wait for theirs; null when all have. */
    fanOutAfter: text("fan_out_after"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    index("events_to_fan_out").on(t.createdAt).where(sql`fan_out_after IS NOT NULL`),
    uniqueIndex("events_by_idempotency_key").on(t.tenantId, t.idempotencyKey).where(sql`idempotency_key IS NOT NULL`),
  ],
);

/** The outbox: one row per event and subscription. The row is the truth, a queue message only a nudge. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    /** Sent as `webhook-id`, the same on every attempt. Starts with its event's moment: an event's deliveries are a key range. */
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    subscriptionId: text("subscription_id").notNull(),
    eventId: text("event_id").notNull(),
    kind: text({ enum: ["event", "retry", "test"] }).notNull(),
    /** The row of the attempt under way, or of the last one. */
    lastAttemptId: text("last_attempt_id"),
    /** The one before it: what a claim that is given back puts in its place again. */
    previousAttemptId: text("previous_attempt_id"),
    /** Attempts that ended; one that a dead consumer left does not count. */
    attempts: integer().notNull().default(0),
    /** Attempts that a dead consumer left; bounds a delivery that kills its consumer. */
    interruptions: integer().notNull().default(0),
    /** Fencing token of the consumer that holds it. */
    lease: text(),
    /** Not to be claimed before: next attempt, or end of the lease. Null when done. */
    dueAt: integer("due_at"),
    /** The sweep looks at it from then on. Null when done. */
    sweepAt: integer("sweep_at"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    index("deliveries_to_sweep").on(t.sweepAt).where(sql`sweep_at IS NOT NULL`),
    // At most one manual retry of a subscription is under way.
    uniqueIndex("deliveries_open_retry").on(t.subscriptionId).where(sql`kind = 'retry' AND due_at IS NOT NULL`),
    // Manual retries of an event, to tell what they have made good.
    index("deliveries_retries").on(t.subscriptionId, t.eventId).where(sql`kind = 'retry'`),
  ],
);

/** The delivery log: one row per attempt. Ids are time-ordered, so the key is also the log's order. */
export const attempts = sqliteTable(
  "attempts",
  {
    id: text().notNull(),
    subscriptionId: text("subscription_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    deliveryId: text("delivery_id").notNull(),
    /** The delivery's attempt before this one: a chain, where an index would cost a written row for each attempt. */
    previousId: text("previous_id"),
    eventId: text("event_id").notNull(),
    eventType: text("event_type").notNull(),
    status: text({ enum: ["pending", "success", "failed"] }).notNull(),
    responseCode: integer("response_code"),
    responseBody: text("response_body"),
    error: text(),
    attemptCount: integer("attempt_count").notNull(),
    attemptedAt: integer("attempted_at").notNull(),
    completedAt: integer("completed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.id] }),
    // A success is never in it and pays nothing for it; the few failures among a million rows are found at once.
    index("attempts_failed").on(t.subscriptionId, t.id).where(sql`status = 'failed'`),
  ],
);

/** Attempts per hour, counted as they are written: of each subscription, and of the tenant as a whole (subscription ""). */
export const hourlyStats = sqliteTable(
  "hourly_stats",
  {
    tenantId: text("tenant_id").notNull(),
    subscriptionId: text("subscription_id").notNull(),
    /** Its start. An attempt counts in the hour of its claim. */
    hour: integer().notNull(),
    /** Kept for the tenant only: a subscription has its own counter. */
    pending: integer().notNull().default(0),
    succeeded: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** Answers by their latency, and timeouts: the bounds stand in `stats/latency.ts`. */
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
  (t) => [primaryKey({ columns: [t.tenantId, t.subscriptionId, t.hour] })],
);
