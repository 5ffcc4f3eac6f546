/** The rows that a schedule begins with, and their removal. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { encrypt } from "../../../src/base/crypto/encryption";
import { newIdAt } from "../../../src/base/db/ids";
import { createDeps } from "../../../src/base/deps";
import { secretOwner } from "../../../src/webhooks/signing/keys";
import type { Crowd } from "./faults";
import type { Subscriber } from "./ledger";
import type { Random } from "./random";

export const EVENT_TYPE = "OrderPaid";
export const SECRET = "a-signing-secret";
/** What the subscribers do: see `faultyFetch`. */
const BEHAVIOURS = [
  "200",
  "200",
  "200",
  "200",
  "200",
  "200",
  "200?failures=1",
  "200?failures=1&failing=503&retryAfter=20",
  "200?failures=2",
  "500",
  "200?holdMs=1500",
  "200?holdMs=6000",
  "200?holdMs=60000",
] as const;

/** One to three subscriptions of a tenant, each with a behaviour of its own. */
export async function addSubscribers(
  database: D1Database,
  random: Random,
  tenantId: string,
  nowMs: number,
  crowd: Crowd | null,
): Promise<Subscriber[]> {
  const { keys } = await createDeps(env, createExecutionContext());
  const subscribers = Array.from({ length: crowd?.subscribers ?? random.integer(1, 3) }, (): Subscriber => {
    const id = newIdAt(nowMs - 1_000);
    const url = `http://receiver.example/${crowd?.behaviour ?? random.pick(BEHAVIOURS)}`;
    return { id, url, isPaused: false, isDeleted: false, isReopened: false };
  });
  const statements = subscribers.map(async ({ id, url }) => [
    database
      .prepare(
        `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
          updated_at)
       VALUES (?1, ?2, 'test', ?3, ?4, ?5, '', 1, ?6, ?6)`,
      )
      .bind(
        id,
        tenantId,
        url,
        JSON.stringify([EVENT_TYPE]),
        await encrypt(keys, secretOwner(id), SECRET),
        nowMs - 1_000,
      ),
    database
      .prepare("INSERT INTO subscription_events (tenant_id, event_type, subscription_id) VALUES (?, ?, ?)")
      .bind(tenantId, EVENT_TYPE, id),
  ]);
  await database.batch((await Promise.all(statements)).flat());
  return subscribers;
}

/** An event that has its first delivery and whose fan-out has to continue; null when no subscription wants it. */
export async function addFanOut(
  database: D1Database,
  tenantId: string,
  payload: string,
  nowMs: number,
): Promise<{ id: string; fanOutAfter: string } | null> {
  const first = await database
    .prepare("SELECT min(subscription_id) AS id FROM subscription_events WHERE tenant_id = ?")
    .bind(tenantId)
    .first<string>("id");
  if (first === null) return null;
  const id = newIdAt(nowMs);
  await database.batch([
    database
      .prepare(
        `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
       VALUES ('', ?, ?, ?, ?, ?, 'event', ?)`,
      )
      .bind(nowMs, `${id.slice(0, 23)}-${first.slice(24)}`, tenantId, first, id, payload.length),
    database
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
       SELECT ?1, ?2, ?3, ?4, count(*), ?5, ?6 FROM subscription_events WHERE tenant_id = ?2`,
      )
      .bind(id, tenantId, EVENT_TYPE, payload, first, nowMs),
  ]);
  return { id, fanOutAfter: first };
}

/** Removes everything of the tenant, so that the sweep of the next schedule finds only its own deliveries. */
export async function removeTenant(database: D1Database, tenantId: string): Promise<void> {
  const own = "(SELECT id FROM subscriptions WHERE tenant_id = ?1)";
  await database.batch(
    [
      `DELETE FROM attempts WHERE subscription_id IN ${own}`,
      `DELETE FROM hourly_stats WHERE subscription_id IN ${own}`,
      `DELETE FROM manual_retries WHERE subscription_id IN ${own}`,
      ...["subscription_events", "outbox", "events", "idempotency_keys", "subscriptions"].map(
        (table) => `DELETE FROM ${table} WHERE tenant_id = ?1`,
      ),
    ].map((query) => database.prepare(query).bind(tenantId)),
  );
}
