/**
 * What a delivery database of the simulation holds when the day begins: subscriptions, and a log as long as the
 * retention.
 */

import type { D1 } from "./simulated-service.ts";
import * as traffic from "./simulation/traffic.ts";

const HOUR_MS = 3_600_000;
const DELIVERIES_PER_EVENT = 4;
/** One in so many deliveries had a second attempt. */
const DELIVERIES_PER_RETRY = 30;
/** Few enough rows, because D1 limits the time of one statement. */
const ROWS_PER_STATEMENT = 50_000;

/** A UUIDv7 of the millisecond `at`, with a number at its end. */
const id = (at: string, number: string) =>
  `substr(printf('%012x', ${at}), 1, 8) || '-' || substr(printf('%012x', ${at}), 9) || '-7000-8000-' ||
    printf('%012x', ${number})`;
const numbers = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)";
const AT = "(?3 + i * ?4)";
const EVENT = `(i / ${DELIVERIES_PER_EVENT})`;
const EVENT_ID = id(`(?3 + ${EVENT} * ${DELIVERIES_PER_EVENT} * ?4)`, EVENT);

/** Writes the subscriptions of one database, and what each of them wants. */
export async function seedSubscriptions(database: D1, shard: number, nowMs: number): Promise<void> {
  const statements = [];
  for (let tenant = 0; tenant < traffic.TENANTS_PER_SHARD; tenant += 1) {
    for (let number = 0; number < traffic.SUBSCRIPTIONS_PER_TENANT; number += 1) {
      const tenantId = traffic.tenantId(shard, tenant);
      const subscriptionId = traffic.subscriptionId(shard, tenant, number);
      const types = traffic.EVENT_KINDS.flatMap(({ width }) =>
        width === 1 || number < width ? [traffic.eventType(width, number)] : [],
      );
      statements.push(
        database
          .prepare(`INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
            created_at, updated_at)
            VALUES (?1, ?2, 'Simulated', 'https://example.com/', ?3, ?4, 'digest', 1, ?5, ?5)`)
          .bind(subscriptionId, tenantId, JSON.stringify(types), "x".repeat(120), nowMs),
        ...types.map((type) =>
          database
            .prepare("INSERT INTO subscription_events (tenant_id, event_type, subscription_id) VALUES (?1, ?2, ?3)")
            .bind(tenantId, type, subscriptionId),
        ),
      );
    }
  }
  await database.batch(statements);
}

/** What a log holds. */
interface Log {
  startMs: number;
  lengthMs: number;
  deliveries: number;
  /** In the first part of so many ms there are only events, because retention keeps them for longer. */
  attemptsAfterMs?: number;
}

/** Writes a log with evenly spread deliveries. */
export async function seedLog(
  database: D1,
  shard: number,
  { startMs, lengthMs, deliveries: count, attemptsAfterMs = 0 }: Log,
): Promise<void> {
  const stepMs = Math.floor(lengthMs / count);
  const firstAttempt = Math.ceil(attemptsAfterMs / stepMs);
  const subscriptions = traffic.TENANTS_PER_SHARD * traffic.SUBSCRIPTIONS_PER_TENANT;
  const subscription = `'${traffic.subscriptionId(shard, 0, 0).slice(0, -12)}' ||
    printf('%012x', i % ${subscriptions})`;
  const attempt = (attemptId: string, deliveryId: string, number: number) =>
    `SELECT ${subscription}, ${attemptId}, ${deliveryId}, ${EVENT_ID}, 'to-5', 'event', 'success', 200, 'ok', ${number},
      ${AT}, ${AT} + 110 FROM n`;
  const columns = `subscription_id, id, delivery_id, event_id, event_type, kind, status, response_code, response_body,
    attempt_count, attempted_at, completed_at`;
  const statements = [
    `${numbers} INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
      SELECT ${EVENT_ID}, '${traffic.tenantId(shard, 0)}', 'to-5', '${"x".repeat(traffic.PAYLOAD_BYTES)}',
        ${DELIVERIES_PER_EVENT}, ${AT} FROM n
      WHERE i % ${DELIVERIES_PER_EVENT} = 0`,
    `${numbers} INSERT INTO attempts (${columns}) ${attempt(id(AT, "i"), "NULL", 1)} WHERE i >= ${firstAttempt}`,
    `${numbers} INSERT INTO attempts (${columns}) ${attempt(id(`${AT} + 5100`, "i"), id(AT, "i"), 2)}
      WHERE i >= ${firstAttempt} AND i % ${DELIVERIES_PER_RETRY} = 0`,
  ];
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    for (const statement of statements) {
      await database
        .prepare(statement)
        .bind(from, Math.min(from + ROWS_PER_STATEMENT, count), startMs, stepMs)
        .run();
    }
  }
  await database
    .prepare(`INSERT INTO hourly_stats (subscription_id, hour, succeeded)
      SELECT subscription_id, attempted_at - attempted_at % ${HOUR_MS}, count(*) FROM attempts GROUP BY 1, 2`)
    .run();
}
