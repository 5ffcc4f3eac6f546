/**
 * A database of 200,000 tenants and 2,000,000 events, each with a delivery, spread over the retention. It is written by
 * recursive SQL, in about two minutes. Tests fill a small one in the same way.
 */

/** A binding of D1, in the tests or of Miniflare. */
interface Database {
  prepare(query: string): Statement & { bind(...values: unknown[]): Statement };
}

interface Statement {
  run(): Promise<unknown>;
}

const EVENTS_PER_TENANT = 10;
/** One in so many tenants, the last ones, has never published. */
const SILENT_ONE_IN = 200;
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

interface Rows {
  rows: number;
  row: Record<string, string>;
  /** Which of the rows are meant; all without it. */
  only?: string;
}

/** What each table gets: how many rows, and the row with the number `i`. `?3` is the time of the end, Unix ms. */
const tablesOf = (tenants: number): Record<string, Rows> => ({
  ...tablesOfPeople(tenants),
  ...tablesOfEvents(tenants),
  ...tablesOfKeys(tenants),
});

function tablesOfPeople(tenants: number): Record<string, Rows> {
  return {
    users: {
      rows: tenants,
      row: {
        ...{ id: userOf("i"), email: "'user' || i || '@example.com'", password_hash: "'x'" },
        ...{ created_at: MADE, email_verified_at: MADE },
      },
    },
    tenants: {
      rows: tenants,
      row: { id: tenantOf("i"), name: "'Tenant ' || i", created_by: userOf("i"), created_at: MADE, shard: "0" },
    },
    memberships: {
      rows: tenants,
      row: { tenant_id: tenantOf("i"), user_id: userOf("i"), role: "'owner'", created_at: MADE },
    },
    sessions: {
      rows: tenants,
      row: {
        ...{ id: id(MADE, "d", "i"), user_id: userOf("i"), tenant_id: tenantOf("i"), generation: "1" },
        ...{ refresh_token_hash: "'hash' || i", rotated_at: "?3", created_at: "?3", last_activity_at: "?3" },
        expires_at: "?3 + 2592000000",
      },
    },
    api_keys: {
      rows: tenants,
      row: {
        ...{ id: id(MADE, "e", "i"), tenant_id: tenantOf("i"), user_id: userOf("i"), name: "'key'" },
        ...{ prefix: "'sk_12345'", key_hash: "'hash' || i", scopes: `'["event.publish"]'`, created_at: MADE },
      },
    },
    invitations: {
      rows: tenants / 10,
      row: {
        ...{ id: id(MADE, "f", "i"), tenant_id: tenantOf("i"), email: "'guest' || i || '@example.com'" },
        ...{ role: "'viewer'", invited_by: userOf("i"), created_at: "?3", expires_at: "?3 + 604800000" },
      },
    },
    subscriptions: {
      rows: tenants,
      row: {
        ...{ id: subscriptionOf("i"), tenant_id: tenantOf("i"), name: "'Hook'", url: "'https://example.com/'" },
        ...{ events: `'["OrderPaid"]'`, secret_sealed: "''", secret_digest: "'digest'", enabled: "1" },
        ...{ created_at: MADE, updated_at: MADE },
      },
    },
    subscription_events: {
      rows: tenants,
      row: { tenant_id: tenantOf("i"), event_type: "'OrderPaid'", subscription_id: subscriptionOf("i") },
    },
  };
}

function tablesOfEvents(tenants: number): Record<string, Rows> {
  const events = tenants * EVENTS_PER_TENANT;
  const publishers = tenants - tenants / SILENT_ONE_IN;
  const sentAt = (number: string) => `(?3 - ${LENGTH_MS} + CAST(${number} * ${LENGTH_MS / events} AS integer))`;
  const [SENT, OWNER] = [sentAt("i"), `(i % ${publishers})`];
  // The log in the order of its key, subscription by subscription: any other would write each page many times.
  const most = Math.ceil(events / publishers);
  const EVENT = `(i % ${most} * ${publishers} + i / ${most})`;
  const LOGGED = { rows: most * publishers, only: `${EVENT} < ${events}` };
  const [LOGGED_AT, RECEIVER] = [sentAt(EVENT), subscriptionOf(`i / ${most}`)];
  return {
    events: {
      rows: events,
      row: {
        ...{ id: id(SENT, "0", "i"), tenant_id: tenantOf(OWNER), type: "'OrderPaid'", delivery_count: "1" },
        ...{ payload: 'printf(\'{"order":%d,"note":"%.*c"}\', i, 200, \'x\')', created_at: SENT },
      },
    },
    attempts: {
      ...LOGGED,
      row: {
        ...{ subscription_id: RECEIVER, id: id(LOGGED_AT, "1", EVENT), event_id: id(LOGGED_AT, "0", EVENT) },
        ...{ event_type: "'OrderPaid'", kind: "'event'", status: "'success'", response_code: "200" },
        ...{ response_body: "'ok'", attempt_count: "1", attempted_at: LOGGED_AT, completed_at: `${LOGGED_AT} + 100` },
      },
    },
    outbox: {
      rows: tenants / 40,
      row: {
        ...{ queue: "''", due_at: "?3 + 86400000 + i", id: id("?3", "2", "i"), tenant_id: tenantOf("i") },
        ...{ subscription_id: subscriptionOf("i"), event_id: id("?3", "0", "i"), kind: "'event'", bytes: "200" },
      },
    },
    hourly_stats: {
      ...LOGGED,
      row: { subscription_id: RECEIVER, hour: `${LOGGED_AT} - ${LOGGED_AT} % 3600000`, succeeded: "1" },
    },
    manual_retries: {
      rows: tenants / 20,
      row: {
        ...{ subscription_id: subscriptionOf("i"), event_id: id(SENT, "0", "i"), delivery_id: id(SENT, "3", "i") },
        state: "'success'",
      },
    },
  };
}

function tablesOfKeys(tenants: number): Record<string, Rows> {
  const ACT = `(i % 2 * ${tenants} + i / 2)`;
  return {
    idempotency_keys: {
      rows: tenants / 2,
      row: {
        ...{ tenant_id: tenantOf("i"), key: "'key' || i", event_id: id("?3", "0", "i"), request_hash: "'hash'" },
        created_at: "?3 - i",
      },
    },
    order_sequences: {
      rows: tenants,
      row: { tenant_id: tenantOf("i"), key: "'order'", last: String(EVENTS_PER_TENANT), used_at: "?3" },
    },
    audit_events: {
      rows: 2 * tenants,
      row: {
        ...{ tenant_id: tenantOf("i / 2"), id: id(`?3 - ${RETENTION_MS} + ${ACT}`, "4", ACT) },
        ...{ action: "'webhook.created'", actor_kind: "'user'", actor_id: userOf("i / 2") },
      },
    },
  };
}

/** Fills a database of which the newest rows are from `nowMs`. */
export async function fillDatabase(
  database: Database,
  tenants: number,
  nowMs: number,
  progress: (text: string) => void = () => {},
): Promise<void> {
  // Publishers are noted since before the oldest tenant.
  await database.prepare("UPDATE publishers SET since = 0").run();
  for (const [table, { rows, row, only = "true" }] of Object.entries(tablesOf(tenants))) {
    const sql = `WITH RECURSIVE n(i) AS (SELECT CAST(?1 AS integer) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
      INSERT OR IGNORE INTO ${table} (${Object.keys(row)}) SELECT ${Object.values(row)} FROM n WHERE ${only}`;
    for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
      const to = Math.min(rows, from + ROWS_PER_STATEMENT);
      await database.prepare(sql).bind(from, to, nowMs).run();
    }
    progress(`${rows} ${table}`);
  }
}

/** Begins each kind of purge, and has `run` run it to its end. `tenants`: how many the database was filled with. */
export async function eachPurge(
  database: Database,
  tenants: number,
  nowMs: number,
  run: (name: string) => Promise<void>,
): Promise<void> {
  const silent = tenants / SILENT_ONE_IN;
  const purged: Record<string, { from: number; count: number; kind: "tenant" | "user" }> = {
    "purge of a tenant that never published": { kind: "tenant", from: tenants - 1, count: 1 },
    [`purge of ${silent / 2} tenants that never published`]: {
      kind: "tenant",
      from: tenants - silent,
      count: silent / 2,
    },
    "purge of a tenant that published": { kind: "tenant", from: 0, count: 1 },
    "purge of 100 tenants that published": { kind: "tenant", from: 100, count: 100 },
    "purge of an account": { kind: "user", from: 300, count: 1 },
  };
  for (const [name, { kind, from, count }] of Object.entries(purged)) {
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
