/** Writes rows with SQL, because the engine would take an hour. */
import type { Database } from "./database.ts";

/** Few enough rows, because D1 limits the time of one statement. */
const ROWS_PER_STATEMENT = 50_000;
const DELIVERIES_PER_EVENT = 10;
const MINUTE_MS = 60_000;

export interface History {
  tenantId: string;
  subscriptionId: string;
  deliveries: number;
  /** Three hexadecimal digits that distinguish the ids of one history from those of another. */
  tag: string;
  /** When its last delivery ended, Unix ms; a minute ago if left out. */
  endMs?: number;
}

/** The start of a UUIDv7 of the millisecond `at`, up to its last dash. */
const idStart = (at: string) =>
  `substr(printf('%012x', ${at}), 1, 8) || '-' || substr(printf('%012x', ${at}), 9) || '-7000-8' || ?3 || '-'`;
const id = (at: string, number: string) => `${idStart(at)} || printf('%012x', ${number})`;

/** The first characters of every UUIDv7 of a millisecond. */
export function idStartAt(timeMs: number): string {
  const hex = Math.floor(timeMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** One row for each `i` from ?1 up to ?2. */
const numbers = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)";
const PAYLOAD = `'{"n":-1,"note":"' || hex(zeroblob(100)) || '"}'`;
const EVENT = `i / ${DELIVERIES_PER_EVENT}`;
/** As close together as the deliveries of one subscription can be: a tenant publishes at most 100 events a second. */
const STEP_MS = 10;
const AT = `(?4 + i * ${STEP_MS})`;
const EVENT_AT = `(?4 + ${EVENT} * ${DELIVERIES_PER_EVENT * STEP_MS})`;

const HISTORY = [
  `${numbers} INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
    SELECT ${id(EVENT_AT, EVENT)}, ?5, 'History', ${PAYLOAD}, ${DELIVERIES_PER_EVENT}, ${EVENT_AT}
    FROM n WHERE i % ${DELIVERIES_PER_EVENT} = 0 AND ?6 = ?6`,
  `${numbers} INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, response_code,
    response_body, attempt_count,
      attempted_at, completed_at)
    SELECT ?6, ${id(AT, "i")}, ${id(EVENT_AT, EVENT)}, 'History', 'event', 'success', 200, 'ok', 1, ${AT}, ${AT} + 20
      FROM n WHERE ?5 = ?5`,
  `${numbers} INSERT INTO hourly_stats (subscription_id, hour, succeeded)
    SELECT ?6, CAST(${AT} / 3600000 AS INTEGER) * 3600000, count(*) FROM n
    WHERE ?3 = ?3 AND ?5 = ?5 GROUP BY 2 ON CONFLICT DO UPDATE SET succeeded = succeeded + excluded.succeeded`,
];

const BACKLOG = [
  `${numbers} INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
    SELECT ${id(AT, "i")}, ?5, 'Waiting', ${PAYLOAD}, 1, ${AT} FROM n WHERE ?6 = ?6`,
  `${numbers} INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
    SELECT ?6, ${AT}, ${idStart(AT)} || substr(?6, 25), ?5, ?6, ${id(AT, "i")}, 'event', 220 FROM n`,
];

/** Writes events and their successful attempts, all of one subscription. */
export const seedHistory = (database: Database, history: History): Promise<void> => insert(database, HISTORY, history);

/** Writes events whose deliveries to one subscription are due and wait in its backlog. */
export async function seedBacklog(database: Database, backlog: History): Promise<void> {
  await insert(database, BACKLOG, backlog);
  await database.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(backlog.subscriptionId).run();
}

async function insert(database: Database, statements: readonly string[], history: History): Promise<void> {
  const { tenantId, subscriptionId, deliveries, tag, endMs = Date.now() - MINUTE_MS } = history;
  for (let from = 0; from < deliveries; from += ROWS_PER_STATEMENT) {
    const to = Math.min(from + ROWS_PER_STATEMENT, deliveries);
    for (const statement of statements) {
      await database
        .prepare(statement)
        .bind(from, to, tag, endMs - deliveries * STEP_MS, tenantId, subscriptionId)
        .run();
    }
  }
}

/**
 * Copies a subscription `count` times. Each copy receives `type`, or a type of its own, which no event of the bench
 * has.
 */
export async function seedSubscriptions(
  database: Database,
  subscriptionId: string,
  count: number,
  type?: string,
): Promise<void> {
  const copies = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)`;
  const copyId = "substr(s.id, 1, 24) || printf('%012x', n.i)";
  const typeOf = "coalesce(?3, 'Type' || n.i)";
  await database
    .prepare(`${copies} INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest,
      enabled, created_at, updated_at)
      SELECT ${copyId}, s.tenant_id, s.name, s.url, json_array(${typeOf}), s.secret_sealed, s.secret_digest, 1,
        s.created_at, s.updated_at
      FROM n, subscriptions s WHERE s.id = ?1`)
    .bind(subscriptionId, count, type ?? null)
    .run();
  await database
    .prepare(`${copies} INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
      SELECT s.tenant_id, ${typeOf}, ${copyId} FROM n, subscriptions s WHERE s.id = ?1`)
    .bind(subscriptionId, count, type ?? null)
    .run();
}
