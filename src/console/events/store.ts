/** Where an event went, in one round trip. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../db/client";
import { deliveryIdOf } from "../../db/ids";
import type { Deps } from "../../deps";
import type { TenantRef } from "../../tenants/principal";
import type { EventView } from "./pages";

const MAX_DELIVERIES = 100;
/** Of one delivery; manual retries are deliveries of their own. */
const MAX_ATTEMPTS = 60;

interface Row {
  webhookId: string;
  webhookName: string;
  /** Null while the delivery waits for its first attempt. */
  id: string | null;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
}

/** An event of the tenant with the last attempt of each of its deliveries; null when the tenant has no such event. */
export async function readEvent(deps: Deps, { tenantId, shard }: TenantRef, id: string): Promise<EventView | null> {
  const { found, deliveries } = await atomically(deps.shards.db(shard), {
    found: rows<
      Omit<EventView, "deliveries">
    >(sql`SELECT id, type, created_at AS createdAt, delivery_count AS deliveryCount FROM events
      WHERE id = ${id} AND tenant_id = ${tenantId}`),
    // The delivery's id follows from event and subscription, and is the id of its first attempt.
    deliveries: rows<Row>(sql`WITH RECURSIVE
      delivery AS (SELECT s.id AS subscription_id, s.name, ${deliveryIdOf(id, sql`s.id`)} AS id, e.created_at
        FROM events e CROSS JOIN subscriptions s ON s.tenant_id = e.tenant_id WHERE e.id = ${id} AND e.tenant_id = ${tenantId}),
      made AS (SELECT d.* FROM delivery d WHERE EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = d.subscription_id AND a.id = d.id)
        OR EXISTS (SELECT 1 FROM outbox o WHERE o.queue IN ('', d.subscription_id) AND o.due_at = d.created_at AND o.id = d.id) LIMIT ${MAX_DELIVERIES}),
      chain(subscription_id, id, position) AS (SELECT subscription_id, id, 1 FROM made
        UNION ALL SELECT chain.subscription_id, a.next_id, position + 1 FROM chain
          CROSS JOIN attempts a ON a.subscription_id = chain.subscription_id AND a.id = chain.id
          WHERE a.next_id IS NOT NULL AND position < ${MAX_ATTEMPTS}),
      last AS (SELECT a.*, row_number() OVER (PARTITION BY a.subscription_id ORDER BY position DESC) AS rank
        FROM chain CROSS JOIN attempts a ON a.subscription_id = chain.subscription_id AND a.id = chain.id AND a.status <> 'moved')
      SELECT made.subscription_id AS webhookId, made.name AS webhookName, last.id, last.status, last.response_code AS responseCode,
        last.error, last.attempt_count AS attemptCount
      FROM made LEFT JOIN last ON last.subscription_id = made.subscription_id AND last.rank = 1 ORDER BY made.subscription_id`),
  });
  const [event] = found;
  if (!event) return null;
  return {
    ...event,
    deliveries: deliveries.map(({ webhookId, webhookName, id: attemptId, ...attempt }) => ({
      webhookId,
      webhookName,
      attempt: attemptId === null ? null : { ...attempt, id: attemptId },
    })),
  };
}
