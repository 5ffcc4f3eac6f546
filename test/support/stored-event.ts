/** An event that the service has not been notified of. */
import { newIdAt } from "../../src/base/db/ids";
import type { Person } from "./client";
import { deliveryDb } from "./shard";
/**
 * Stores an event without sending messages, as if they were lost. The subscriptions in `webhookIds` already have their
 * delivery.
 */
export async function storeEvent(person: Person, webhookIds: string[], fields: { at?: number; queue?: string } = {}) {
  const at = fields.at ?? Date.now();
  const eventId = newIdAt(at);
  const keys = webhookIds.map((webhookId) => ({
    queue: fields.queue ?? "",
    dueAt: at,
    id: `${eventId.slice(0, 23)}-${webhookId.slice(24)}`,
    subscriptionId: webhookId,
    bytes: 1,
  }));
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
          VALUES (?, ?, 'OrderPaid', '1', ?, ?)`,
      )
      .bind(eventId, person.tenantId, keys.length, at),
    ...keys.map((key) =>
      deliveryDb
        .prepare(
          `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
            VALUES (?, ?, ?, ?, ?, ?, 'event', 1)`,
        )
        .bind(key.queue, at, key.id, person.tenantId, key.subscriptionId, eventId),
    ),
  ]);
  return { eventId, keys };
}
