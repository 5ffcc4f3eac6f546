/**
 * A database of 200,000 tenants and 2,000,000 events, each with a delivery, spread over the retention. It is written by
 * recursive SQL, in about two minutes.
 */
import type { D1 } from "./simulated-service.ts";

const TENANTS = 200_000;
const EVENTS = 2_000_000;
const EVENTS_PER_TENANT = EVENTS / TENANTS;
/** These tenants, the last ones, have never published. */
const SILENT_TENANTS = 1_000;
const RETENTION_MS = 30 * 86_400_000;
/** What retention finds due in its first run: as much as comes in an hour. */
const OLDER_MS = 3_600_000;
const ROWS_PER_STATEMENT = 100_000;

/** A UUIDv7 of the millisecond `at`, with a letter for its kind and a number. */
const id = (at: string, kind: string, number: string) =>
  `(substr(printf('%012x', ${at}), 1, 8) || '-' || substr(printf('%012x', ${at}), 9) || '-7000-8000-${kind}' ||
    printf('%011x', ${number}))`;

const MADE = "(?3 - 4000000000 + i)";
const tenantOf = (number: string) => id(`(?3 - 4000000000 + (${number}))`, "a", number);
const userOf = (number: string) => id(`(?3 - 4000000000 + (${number}))`, "b", number);
const subscriptionOf = (number: string) => id(`(?3 - 4000000000 + (${number}))`, "c", number);
/** Events are spread over the retention and the margin of a day after which events go. */
const LENGTH_MS = RETENTION_MS + OLDER_MS;
const SENT = `(?3 - ${LENGTH_MS} + CAST(i * ${LENGTH_MS / EVENTS} AS integer))`;
const OWNER = `(i % ${TENANTS - SILENT_TENANTS})`;

/** What each table gets: how many rows, and the row with the number `i`. `?3` is the time of the end, Unix ms. */
const TABLES: Record<string, { rows: number; row: Record<string, string> }> = {
  users: {
    rows: TENANTS,
    row: {
      ...{ id: userOf("i"), email: "'user' || i || '@example.com'", password_hash: "'x'" },
      ...{ created_at: MADE, email_verified_at: MADE },
    },
  },
  tenants: {
    rows: TENANTS,
    row: { id: tenantOf("i"), name: "'Tenant ' || i", created_by: userOf("i"), created_at: MADE, shard: "0" },
  },
  memberships: {
    rows: TENANTS,
    row: { tenant_id: tenantOf("i"), user_id: userOf("i"), role: "'owner'", created_at: MADE },
  },
  sessions: {
    rows: TENANTS,
    row: {
      ...{ id: id(MADE, "d", "i"), user_id: userOf("i"), tenant_id: tenantOf("i"), generation: "1" },
      ...{ refresh_token_hash: "'hash' || i", rotated_at: "?3", created_at: "?3", last_activity_at: "?3" },
      expires_at: "?3 + 2592000000",
    },
  },
  api_keys: {
    rows: TENANTS,
    row: {
      ...{ id: id(MADE, "e", "i"), tenant_id: tenantOf("i"), user_id: userOf("i"), name: "'key'" },
      ...{ prefix: "'sk_12345'", key_hash: "'hash' || i", scopes: `'["event.publish"]'`, created_at: MADE },
    },
  },
  invitations: {
    rows: TENANTS / 10,
    row: {
      ...{ id: id(MADE, "f", "i"), tenant_id: tenantOf("i"), email: "'guest' || i || '@example.com'" },
      ...{ role: "'viewer'", invited_by: userOf("i"), created_at: "?3", expires_at: "?3 + 604800000" },
    },
  },
  subscriptions: {
    rows: TENANTS,
    row: {
      ...{ id: subscriptionOf("i"), tenant_id: tenantOf("i"), name: "'Hook'", url: "'https://example.com/'" },
      ...{ events: `'["OrderPaid"]'`, secret_sealed: "'sealed'", secret_digest: "'digest'", enabled: "1" },
      ...{ created_at: MADE, updated_at: MADE },
    },
  },
  subscription_events: {
    rows: TENANTS,
    row: { tenant_id: tenantOf("i"), event_type: "'OrderPaid'", subscription_id: subscriptionOf("i") },
  },
  events: {
    rows: EVENTS,
    row: {
      ...{ id: id(SENT, "0", "i"), tenant_id: tenantOf(OWNER), type: "'OrderPaid'", delivery_count: "1" },
      ...{ payload: 'printf(\'{"order":%d,"note":"%.*c"}\', i, 200, \'x\')', created_at: SENT },
    },
  },
  attempts: {
    rows: EVENTS,
    row: {
      ...{ subscription_id: subscriptionOf(OWNER), id: id(SENT, "1", "i"), event_id: id(SENT, "0", "i") },
      ...{ event_type: "'OrderPaid'", kind: "'event'", status: "'success'", response_code: "200" },
      ...{ response_body: "'ok'", attempt_count: "1", attempted_at: SENT, completed_at: `${SENT} + 100` },
    },
  },
  outbox: {
    rows: 5_000,
    row: {
      ...{ queue: "''", due_at: "?3 + 86400000 + i", id: id("?3", "2", "i"), tenant_id: tenantOf("i") },
      ...{ subscription_id: subscriptionOf("i"), event_id: id("?3", "0", "i"), kind: "'event'", bytes: "200" },
    },
  },
  hourly_stats: {
    rows: EVENTS,
    row: { subscription_id: subscriptionOf(OWNER), hour: `${SENT} - ${SENT} % 3600000`, succeeded: "1" },
  },
  idempotency_keys: {
    rows: 100_000,
    row: {
      ...{ tenant_id: tenantOf("i"), key: "'key' || i", event_id: id("?3", "0", "i"), request_hash: "'hash'" },
      created_at: "?3 - i",
    },
  },
  order_sequences: {
    rows: TENANTS,
    row: { tenant_id: tenantOf("i"), key: "'order'", last: String(EVENTS_PER_TENANT), used_at: "?3" },
  },
  manual_retries: {
    rows: 10_000,
    row: {
      ...{ subscription_id: subscriptionOf("i"), event_id: id(SENT, "0", "i"), delivery_id: id(SENT, "3", "i") },
      state: "'success'",
    },
  },
  audit_events: {
    rows: 2 * TENANTS,
    row: {
      ...{ tenant_id: tenantOf(`i % ${TENANTS}`), id: id(`?3 - ${RETENTION_MS} + i`, "4", "i") },
      ...{ action: "'webhook.created'", actor_kind: "'user'", actor_id: userOf(`i % ${TENANTS}`) },
    },
  },
};

/** Fills a database of which the newest rows are from `nowMs`. */
export async function fillDatabase(database: D1, nowMs: number, progress: (text: string) => void): Promise<void> {
  // Publishers are noted since before the oldest tenant.
  await database.prepare("UPDATE publishers SET since = 0").run();
  for (const [table, { rows, row }] of Object.entries(TABLES)) {
    const sql = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
      INSERT OR IGNORE INTO ${table} (${Object.keys(row)}) SELECT ${Object.values(row)} FROM n`;
    for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
      const to = Math.min(rows, from + ROWS_PER_STATEMENT);
      await database.prepare(sql).bind(from, to, nowMs).run();
    }
    progress(`${rows} ${table}`);
  }
}

const PURGED: Record<string, { from: number; count: number; kind: "tenant" | "user" }> = {
  "purge of a tenant that never published": { kind: "tenant", from: TENANTS - 1, count: 1 },
  "purge of 100 tenants that never published": { kind: "tenant", from: TENANTS - 101, count: 100 },
  "purge of a tenant that published": { kind: "tenant", from: 0, count: 1 },
  "purge of 100 tenants that published": { kind: "tenant", from: 100, count: 100 },
  "purge of an account": { kind: "user", from: 300, count: 1 },
};

/** Begins each kind of purge, and has `run` run it to its end. */
export async function eachPurge(database: D1, nowMs: number, run: (name: string) => Promise<void>): Promise<void> {
  for (const [name, { kind, from, count }] of Object.entries(PURGED)) {
    const subject = kind === "tenant" ? tenantOf("i") : userOf("i");
    const place = kind === "tenant" ? "0, NULL" : "NULL, 'user' || i || '@example.com'";
    const insert = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
      INSERT INTO purges (id, kind, subject_id, shard, email, members, created_at, run_at, step, cursor)
      SELECT 'purge' || i, '${kind}', ${subject}, ${place},
        '[]', ?3 - 600000, 0, '', '' FROM n`;
    await database
      .prepare(insert)
      .bind(from, from + count, nowMs)
      .run();
    await run(name);
  }
}
