/** What an operator asks of a subscription, each in one round trip: counts, a manual retry, a test. */
import { sql } from "drizzle-orm";
import { atomically } from "../../db/client";
import { newId, sqlIdAtTimeOf } from "../../db/ids";
import type { Deps } from "../../deps";
import { QUEUE_GRACE_MS, type QueuedDelivery } from "../../events/store";
import type { AttemptCounts } from "../schemas";

const liveSql = (tenantId: string, id: string) =>
  sql`SELECT * FROM subscriptions WHERE id = ${id} AND tenant_id = ${tenantId} AND is_deleted = 0`;

/** Counts of the delivery log, from the counters that are kept with it; undefined when the tenant has no such subscription. */
export async function countAttempts({ db }: Deps, tenantId: string, id: string): Promise<AttemptCounts | undefined> {
  const [rows] = await atomically(db, [
    sql`SELECT succeeded_attempts + failed_attempts + pending_attempts AS total, succeeded_attempts AS success,
      failed_attempts AS failed, pending_attempts AS pending FROM (${liveSql(tenantId, id)})`,
  ]);
  return rows?.[0] as AttemptCounts | undefined;
}

/** What became of the wish for a manual retry. */
export type RetryInsertion =
  | { kind: "queued"; deliveries: QueuedDelivery[] }
  | { kind: "already queued" }
  | { kind: "nothing failed" }
  | { kind: "no subscription" };

/** A new delivery of the latest attempt's event, if that attempt failed and no manual retry is under way: the insert decides. */
export async function insertRetry({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<RetryInsertion> {
  const [inserted, found] = await atomically(db, [
    sql`INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
      SELECT ${sqlIdAtTimeOf(sql`a.event_id`)}, s.tenant_id, s.id, a.event_id, 'retry', ${nowMs}, ${nowMs + QUEUE_GRACE_MS}, ${nowMs}
      FROM (${liveSql(tenantId, id)}) s
      JOIN attempts a ON a.subscription_id = s.id AND a.id = (SELECT max(id) FROM attempts WHERE subscription_id = ${id})
      WHERE a.status = 'failed'
      ON CONFLICT (subscription_id) WHERE kind = 'retry' AND due_at IS NOT NULL DO NOTHING
      RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`,
    sql`SELECT EXISTS (SELECT 1 FROM deliveries WHERE subscription_id = s.id AND kind = 'retry' AND due_at IS NOT NULL) AS underWay
      FROM (${liveSql(tenantId, id)}) s`,
  ]);
  if (inserted?.length) return { kind: "queued", deliveries: inserted as QueuedDelivery[] };
  const [subscription] = found as { underWay: 0 | 1 }[];
  if (!subscription) return { kind: "no subscription" };
  return { kind: subscription.underWay ? "already queued" : "nothing failed" };
}

/** An event for this one subscription, whatever types it lists. Empty when the tenant has no such subscription. */
export async function insertTest(
  { db }: Deps,
  tenantId: string,
  id: string,
  event: { type: string; payloadJson: string },
  nowMs: number,
): Promise<QueuedDelivery[]> {
  const eventId = newId();
  const [, deliveries] = await atomically(db, [
    sql`INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
      SELECT ${eventId}, s.tenant_id, ${event.type}, ${event.payloadJson}, 1, ${nowMs} FROM (${liveSql(tenantId, id)}) s`,
    sql`INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
      SELECT ${sqlIdAtTimeOf(eventId)}, s.tenant_id, s.id, ${eventId}, 'test', ${nowMs}, ${nowMs + QUEUE_GRACE_MS}, ${nowMs}
      FROM (${liveSql(tenantId, id)}) s
      RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`,
  ]);
  return deliveries as QueuedDelivery[];
}
