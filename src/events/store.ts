/** Events and their fan-out in D1. */
import { sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { sqlIdAtTimeOf } from "../db/ids";
import type { Deps } from "../deps";

const IDEMPOTENCY_WINDOW_MS = 24 * 3_600_000;
/** A message that the queue lost is sent again by the sweep after this time. */
export const QUEUE_GRACE_MS = 30_000;

export interface NewEvent {
  id: string;
  type: string;
  payloadJson: string;
  correlationId: string | null;
  idempotencyKey: string | null;
  requestHash: string | null;
}

export interface QueuedDelivery {
  id: string;
  /** 1 when its subscription timed out lately. */
  slow: 0 | 1;
}

interface StoredEvent {
  id: string;
  type: string;
  requestHash: string | null;
  deliveries: number;
}

/**
 * Writes the event and one delivery for each enabled subscription that wants its type, in one round trip.
 * With an idempotency key used within 24 hours it writes nothing and returns the event of then.
 */
export async function insertEvent(
  { db }: Deps,
  tenantId: string,
  event: NewEvent,
  nowMs: number,
): Promise<{ event: StoredEvent; deliveries: QueuedDelivery[] }> {
  const { id, type, idempotencyKey: key } = event;
  const [, , deliveries, , stored] = await atomically(db, [
    sql`UPDATE events SET idempotency_key = NULL
      WHERE tenant_id = ${tenantId} AND idempotency_key = ${key} AND created_at <= ${nowMs - IDEMPOTENCY_WINDOW_MS}`,
    sql`INSERT INTO events (id, tenant_id, type, payload, correlation_id, idempotency_key, request_hash, created_at)
      VALUES (${id}, ${tenantId}, ${type}, ${event.payloadJson}, ${event.correlationId}, ${key}, ${event.requestHash}, ${nowMs})
      ON CONFLICT DO NOTHING`,
    sql`INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
      SELECT ${sqlIdAtTimeOf(id)}, s.tenant_id, s.id, ${id}, 'event', ${nowMs}, ${nowMs + QUEUE_GRACE_MS}, ${nowMs}
      FROM subscriptions s
      WHERE s.id IN (SELECT subscription_id FROM subscription_events WHERE tenant_id = ${tenantId} AND event_type IN (${type}, '*'))
        AND s.tenant_id = ${tenantId} AND s.enabled = 1 AND s.is_deleted = 0
        AND EXISTS (SELECT 1 FROM events WHERE id = ${id})
      RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`,
    sql`UPDATE events SET delivery_count = changes() WHERE id = ${id}`,
    sql`SELECT id, type, request_hash AS requestHash, delivery_count AS deliveries FROM events
      WHERE id = ${id} OR (${key} IS NOT NULL AND tenant_id = ${tenantId} AND idempotency_key = ${key})`,
  ]);
  const [row] = stored as StoredEvent[];
  if (!row) throw new Error("event was not stored");
  return { event: row, deliveries: deliveries as QueuedDelivery[] };
}
