/** An event with its deliveries, read in one round trip. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../db/client";
import type { Deps } from "../../deps";
import type { EventView } from "./pages";

const MAX_DELIVERIES = 100;

interface Row {
  webhookId: string;
  webhookName: string;
  id: string | null;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
}

/** An event with the latest attempt of each of its deliveries; null when the tenant has no such event. */
export async function readEvent({ db }: Deps, tenantId: string, id: string): Promise<EventView | null> {
  const { found, deliveries } = await atomically(db, {
    found: rows<Omit<EventView, "deliveries">>(sql`
      SELECT id, type, created_at AS createdAt, delivery_count AS deliveryCount FROM events
      WHERE id = ${id} AND tenant_id = ${tenantId}`),
    // The ids of an event's deliveries start like the event's id, so one range of the key holds them all.
    deliveries: rows<Row>(sql`
      SELECT s.id AS webhookId, s.name AS webhookName, a.id AS id, a.status AS status, a.response_code AS responseCode,
        a.error AS error, a.attempt_count AS attemptCount
      FROM events e
      CROSS JOIN deliveries d ON d.id >= substr(e.id, 1, 14) AND d.id < substr(e.id, 1, 14) || 'g' AND d.event_id = e.id
      CROSS JOIN subscriptions s ON s.id = d.subscription_id
      LEFT JOIN attempts a ON a.subscription_id = s.id AND a.id = d.last_attempt_id
      WHERE e.id = ${id} AND e.tenant_id = ${tenantId} AND d.kind <> 'retry' ORDER BY d.id LIMIT ${MAX_DELIVERIES}`),
  });
  const [event] = found;
  if (!event) return null;
  return {
    ...event,
    deliveries: deliveries.map(({ webhookId, webhookName, ...attempt }) => {
      const { id: attemptId } = attempt;
      return { webhookId, webhookName, attempt: attemptId === null ? null : { ...attempt, id: attemptId } };
    }),
  };
}
