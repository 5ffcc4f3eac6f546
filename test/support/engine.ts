/** The engine's side: deliveries put into the outbox by hand, and messages handed to the consumer by hand. */
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";
import { call, type Person, signUp } from "./client";
import { newInbox, subscribe } from "./receiver";

const FAR_MS = 3_600_000;

/** A delivery that is due, whose message the queue has lost and that no sweep looks at yet. */
export async function addDelivery(person: Person, webhookId: string, fields: { sweepAt?: number } = {}) {
  const id = crypto.randomUUID();
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO events (id, tenant_id, type, payload, created_at) VALUES (?, ?, 'OrderPaid', '1', ?)",
    ).bind(id, person.tenantId, now),
    env.DB.prepare(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
       VALUES (?1, ?2, ?3, ?1, 'event', ?4, ?5, ?4)`,
    ).bind(id, person.tenantId, webhookId, now, fields.sweepAt ?? now + FAR_MS),
  ]);
  return id;
}

export interface DeliveryRow {
  attempts: number;
  interruptions: number;
  lease: string | null;
  due_at: number | null;
  sweep_at: number | null;
}

export async function deliveryRow(id: string): Promise<DeliveryRow> {
  const row = await env.DB.prepare(
    "SELECT attempts, interruptions, lease, due_at, sweep_at FROM deliveries WHERE id = ?",
  )
    .bind(id)
    .first<DeliveryRow>();
  if (!row) throw new Error(`no delivery ${id}`);
  return row;
}

/** Hands bodies to the consumer as one batch, waits for everything it started, and tells what became of each message. */
export async function consumeBatch(bodies: readonly unknown[], queue = "postern-deliveries") {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await worker.queue(batch, env, context);
  return getQueueResult(batch, context);
}

/** Ends the wait before the next attempt. */
export async function makeDue(id: string): Promise<void> {
  await env.DB.prepare("UPDATE deliveries SET due_at = ? WHERE id = ?").bind(Date.now(), id).run();
}

export const messageFor = (deliveryId: string) => ({ deliveryId, dueAt: Date.now() });

/** The hourly cron, and everything that it started. */
export async function hourly(settings: Partial<Cloudflare.Env> = {}): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController({ cron: "17 * * * *" }), { ...env, ...settings }, context);
  await waitOnExecutionContext(context);
}

/** A new person's subscription to an inbox that behaves so, and a delivery to it that is due. */
export async function newDelivery(behaviour: string, fields: Record<string, unknown> = {}) {
  const person = await signUp();
  const inbox = newInbox(behaviour);
  const webhookId = await subscribe(person, inbox.url, fields);
  return { person, inbox, webhookId, id: await addDelivery(person, webhookId) };
}

export const metricsOf = async (person: Person, webhookId: string) =>
  (await call("GET", `/webhooks/${webhookId}/metrics`, { token: person.token })).body.data;
