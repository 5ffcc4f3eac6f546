/** Delivery history by SQL: what would take the engine an hour. */
import type { Database } from "./serve.ts";

/** D1 bounds the time of one statement. */
const ROWS_PER_STATEMENT = 100_000;
const DELIVERIES_PER_EVENT = 10;

export interface History {
  tenantId: string;
  subscriptionId: string;
  deliveries: number;
  /** Four hexadecimal digits that keep the ids of one history apart from another's. */
  tag: string;
}

/** A UUIDv7 of the millisecond `at`, numbered. */
const id = (at: string, number: string) =>
  `substr(printf('%012x', ${at}), 1, 8) || '-' || substr(printf('%012x', ${at}), 9) || '-7000-8' || ?3 || '-' || printf('%012x', ${number})`;

/** One row for each `i` from ?1 up to ?2; the history ends a minute ago. */
const numbers = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)";
const EVENT = `i / ${DELIVERIES_PER_EVENT}`;
const AT = "(?4 + i)";
const EVENT_AT = `(?4 + ${EVENT} * ${DELIVERIES_PER_EVENT})`;

const STATEMENTS = [
  `${numbers} INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
    SELECT ${id(EVENT_AT, EVENT)}, ?5, 'History', '{"order":' || i || ',"note":"' || hex(zeroblob(100)) || '"}', ${DELIVERIES_PER_EVENT}, ${EVENT_AT}
    FROM n WHERE i % ${DELIVERIES_PER_EVENT} = 0 AND ?6 = ?6`,
  `${numbers} INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, attempts, created_at)
    SELECT ${id(AT, "i")}, ?5, ?6, ${id(EVENT_AT, EVENT)}, 'event', 1, ${AT} FROM n`,
  `${numbers} INSERT INTO attempts (id, subscription_id, tenant_id, delivery_id, event_id, event_type, status, response_code, response_body,
      attempt_count, attempted_at, completed_at)
    SELECT ${id(AT, "i")}, ?6, ?5, ${id(AT, "i")}, ${id(EVENT_AT, EVENT)}, 'History', 'success', 200, 'ok', 1, ${AT}, ${AT} + 20 FROM n`,
];

/** Writes events, deliveries and their successful attempts, all of one subscription. */
export async function seedHistory(
  database: Database,
  { tenantId, subscriptionId, deliveries, tag }: History,
): Promise<void> {
  const startMs = Date.now() - 60_000 - deliveries;
  for (let from = 0; from < deliveries; from += ROWS_PER_STATEMENT) {
    const to = Math.min(from + ROWS_PER_STATEMENT, deliveries);
    for (const statement of STATEMENTS) {
      await database.prepare(statement).bind(from, to, tag, startMs, tenantId, subscriptionId).run();
    }
  }
}

/** Copies a subscription `count` times; each copy wants a type of its own, so that no event of the bench goes to it. */
export async function seedSubscriptions(database: Database, subscriptionId: string, count: number): Promise<void> {
  const copies = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)`;
  const copyId = "substr(s.id, 1, 24) || printf('%012x', n.i)";
  await database
    .prepare(`${copies} INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at, updated_at)
      SELECT ${copyId}, s.tenant_id, s.name, s.url, '["Type' || n.i || '"]', s.secret_sealed, s.secret_digest, 1, s.created_at, s.updated_at
      FROM n, subscriptions s WHERE s.id = ?1`)
    .bind(subscriptionId, count)
    .run();
  await database
    .prepare(`${copies} INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
      SELECT s.tenant_id, 'Type' || n.i, ${copyId} FROM n, subscriptions s WHERE s.id = ?1`)
    .bind(subscriptionId, count)
    .run();
}
