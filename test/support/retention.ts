/** Rows of the past, for retention to remove. */
import { firstIdAt } from "../../src/base/db/ids";
import { call, type Person } from "./client";
import { deliveryDb } from "./shard";

const DAY_MS = 86_400_000;
export const DAYS_40_AGO = Date.now() - 40 * DAY_MS;

/** Returns SQL that moves an id into the past. The first characters of an id are its time. */
const agedId = (column: string, days: number) => `'${firstIdAt(Date.now() - days * DAY_MS)}' || substr(${column}, 14)`;

/** Moves all rows of a tenant into the past. */
export async function age(person: Person, days: number): Promise<void> {
  const own = "(SELECT id FROM subscriptions WHERE tenant_id = ?1)";
  await deliveryDb.batch(
    [
      `UPDATE attempts SET id = ${agedId("id", days)}, event_id = ${agedId("event_id", days)}, attempted_at =
        attempted_at - ${days * DAY_MS}
        WHERE subscription_id IN ${own}`,
      `UPDATE outbox SET event_id = ${agedId("event_id", days)} WHERE tenant_id = ?1`,
      `UPDATE events SET id = ${agedId("id", days)}, created_at = created_at - ${days * DAY_MS} WHERE tenant_id = ?1`,
      `UPDATE hourly_stats SET hour = hour - ${days * DAY_MS} WHERE subscription_id IN ${own}`,
      `UPDATE subscriptions SET updated_at = updated_at - ${days * DAY_MS} WHERE tenant_id = ?1`,
    ].map((statement) => deliveryDb.prepare(statement).bind(person.tenantId)),
  );
}

/** Adds attempts and as many events that are forty days old. */
export async function addOld(person: Person, webhookId: string, count: number): Promise<void> {
  const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const old = firstIdAt(DAYS_40_AGO);
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
         ${many} SELECT ?1, '${old}-7000-8000-' || printf('%012x', i), '${old}-7', 'T', 'event', 'success', 1,
           ${DAYS_40_AGO} FROM n`,
      )
      .bind(webhookId),
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         ${many} SELECT '${old}-7000-8000-' || printf('%012x', i), ?1, 'T', '1', 0, ${DAYS_40_AGO} FROM n`,
      )
      .bind(person.tenantId),
  ]);
}

/** Copies a subscription under ids from its own up to `f…`, which sorts last. */
export async function addSubscriptions(person: Person, id: string, count: number): Promise<void> {
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
       INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
         updated_at)
       SELECT iif(n.i = ?3, 'f' || substr(s.id, 2), '1' || printf('%07x', n.i) || substr(s.id, 9)), ?1, s.name, s.url,
         '[]',
         s.secret_sealed, s.secret_digest, 1, s.created_at, s.updated_at FROM n, subscriptions s WHERE s.id = ?2`,
    )
    .bind(person.tenantId, id, count)
    .run();
}

export async function rowsOf(person: Person, webhookId: string) {
  const attempts = await deliveryDb
    .prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?")
    .bind(webhookId)
    .first("n");
  const events = await deliveryDb
    .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
    .bind(person.tenantId)
    .first("n");
  return [attempts, events];
}

export const metrics = async (person: Person, id: string) =>
  (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data;
