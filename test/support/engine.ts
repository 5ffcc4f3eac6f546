/**
 * Drives the delivery engine directly: adds deliveries to the outbox, passes messages to the consumer, sweeps, and runs
 * the cron.
 */
import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { consume } from "../../src/queue";
import { sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import { sweepShard } from "../../src/webhooks/delivery/sweep";
import { call, type Person, signUpVerified } from "./client";
import { newInbox, subscribe } from "./receiver";
import { closeOtherShard, deliveryDb, SHARD } from "./shard";
import { runUpkeep } from "./upkeep";

/** The key of an outbox row, as in a message. */
export interface Key {
  tenantId?: string | undefined;
  queue: string;
  dueAt: number;
  id: string;
  subscriptionId: string;
  bytes: number;
}

/** The key of a delivery that is in no database. */
export const keyOfNobody = (): Key => ({
  queue: "",
  dueAt: Date.now(),
  id: crypto.randomUUID(),
  subscriptionId: crypto.randomUUID(),
  bytes: 1,
});

/** The last event of `newEventId`. */
const lastEvent = { atMs: 0, number: 0 };

/** Returns a UUIDv7. Those of one millisecond have the order of their calls, which those of the service have not. */
function newEventId(atMs: number): string {
  lastEvent.number = atMs === lastEvent.atMs ? lastEvent.number + 1 : 0;
  lastEvent.atMs = atMs;
  const id = newIdAt(atMs);
  return `${id.slice(0, 15)}${lastEvent.number.toString(16).padStart(3, "0")}${id.slice(18)}`;
}

/** Adds a delivery that is due and has no message. Of those that are due at once, it is the last. */
export async function addDelivery(person: Person, webhookId: string, fields: { dueAt?: number } = {}): Promise<Key> {
  const nowMs = Date.now();
  const eventId = newEventId(nowMs);
  const id = `${eventId.slice(0, 23)}-${webhookId.slice(24)}`;
  const dueAt = fields.dueAt ?? nowMs;
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
          VALUES (?, ?, 'OrderPaid', '1', 1, ?)`,
      )
      .bind(eventId, person.tenantId, nowMs),
    deliveryDb
      .prepare(
        `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
       VALUES ('', ?, ?, ?, ?, ?, 'event', 1)`,
      )
      .bind(dueAt, id, person.tenantId, webhookId, eventId),
  ]);
  return { queue: "", dueAt, id, subscriptionId: webhookId, bytes: 1 };
}

export interface OutboxRow {
  queue: string;
  due_at: number;
  attempts: number;
  interruptions: number;
  attempt_id: string | null;
}

/** Returns the outbox row of a delivery; null when it has ended. */
export const outboxRow = ({ id }: Pick<Key, "id">): Promise<OutboxRow | null> =>
  deliveryDb
    .prepare("SELECT queue, due_at, attempts, interruptions, attempt_id FROM outbox WHERE id = ?")
    .bind(id)
    .first<OutboxRow>();

/** Returns the current key of a delivery. Throws when it has ended. */
export async function keyNow(key: Key): Promise<Key> {
  const row = await outboxRow(key);
  if (!row) throw new Error(`the delivery ${key.id} has ended`);
  return { ...key, queue: row.queue, dueAt: row.due_at };
}

/**
 * Passes message bodies to the consumer as one batch, waits for all work it started, and returns which messages it
 * acked or retried.
 */
export async function consumeBatch(
  bodies: readonly unknown[],
  queue = "postern-deliveries",
  bindings: Partial<Cloudflare.Env> = {},
) {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  // Without invocations apart, for which nobody could wait.
  await consume(await createDeps({ ...env, ...bindings }, context), batch);
  return getQueueResult(batch, context);
}

/**
 * Like `consumeBatch`, while the clock stands still: otherwise a busy machine could hand back a delivery that has not
 * started in time.
 */
export async function consumeAtOnce(bodies: readonly unknown[], queue?: string, bindings?: Partial<Cloudflare.Env>) {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    return await consumeBatch(bodies, queue, bindings);
  } finally {
    vi.useRealTimers();
  }
}

/** Makes the next attempt of a delivery due now. Returns the new key. */
export async function makeDue(key: Key): Promise<Key> {
  const dueAt = Date.now();
  await deliveryDb.prepare("UPDATE outbox SET due_at = ? WHERE id = ?").bind(dueAt, key.id).run();
  return { ...key, dueAt };
}

/** Ends the failed deliveries of a subscription as if they had used up all attempts, except `except`. */
export async function giveUp(webhookId: string, except?: Key): Promise<void> {
  const kept = except?.id ?? "";
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `UPDATE attempts SET next_id = NULL WHERE subscription_id = ?1 AND status = 'failed'
          AND coalesce(delivery_id, id) <> ?2
         AND next_id IN (SELECT attempt_id FROM outbox WHERE subscription_id = ?1)`,
      )
      .bind(webhookId, kept),
    deliveryDb.prepare("DELETE FROM outbox WHERE subscription_id = ? AND id <> ?").bind(webhookId, kept),
    deliveryDb
      .prepare("UPDATE manual_retries SET state = 'failed' WHERE subscription_id = ? AND state = 'open'")
      .bind(webhookId),
  ]);
}

/** Counts the deliveries of a subscription that are manual retries. */
export const countManualRetries = (webhookId: string): Promise<number | null> =>
  deliveryDb
    .prepare(
      `SELECT count(*) AS n FROM (SELECT id FROM outbox WHERE subscription_id = ?1 AND kind = 'retry'
       UNION SELECT coalesce(delivery_id, id) FROM attempts WHERE subscription_id = ?1 AND kind = 'retry')`,
    )
    .bind(webhookId)
    .first<number>("n");

/** Returns the event of a delivery that has not ended. */
export const eventOf = ({ id }: Key): Promise<string | null> =>
  deliveryDb.prepare("SELECT event_id FROM outbox WHERE id = ?").bind(id).first<string>("event_id");

/** Returns the body of one message for these deliveries. */
export const messageFor = (...due: Key[]) => ({ shard: SHARD, due });

/** Takes messages and loses them. */
export const LOSING_QUEUE = {
  send: async () => undefined,
  sendBatch: async () => undefined,
} as unknown as Queue;

/** Sweeps the delivery database and its lanes once, and waits for all work it started. `queue` replaces both queues. */
export async function sweepNow(queue?: Queue): Promise<void> {
  const context = createExecutionContext();
  const queues = queue && { DELIVERY_QUEUE: queue, SLOW_DELIVERY_QUEUE: queue };
  const deps = await createDeps({ ...env, ...queues }, context);
  await sweepShard(deps, SHARD);
  await sweepLanes(deps, SHARD);
  await waitOnExecutionContext(context);
}

/** Runs the hourly upkeep of every database, and waits for all work it started. */
export async function hourly(settings: Partial<Cloudflare.Env> = {}): Promise<void> {
  const context = createExecutionContext();
  await runUpkeep(await createDeps({ ...env, ...settings }, context), "hour");
  await waitOnExecutionContext(context);
  // The upkeep has stored the real sizes, which opens the other shard again.
  await closeOtherShard();
}

/** Registers a person with a subscription to an inbox with this behaviour, and adds a delivery that is due. */
export async function newDelivery(behaviour: string, fields: Record<string, unknown> = {}) {
  const person = await signUpVerified();
  const inbox = newInbox(behaviour);
  const webhookId = await subscribe(person, inbox.url, fields);
  return { person, inbox, webhookId, key: await addDelivery(person, webhookId) };
}

export const metricsOf = async (person: Person, webhookId: string) =>
  (await call("GET", `/webhooks/${webhookId}/metrics`, { token: person.token })).body.data;
