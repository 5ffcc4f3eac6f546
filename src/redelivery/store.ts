/** What an operator asks of a subscription, each in one round trip: counts, a manual retry, a test. */
import { sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { firstIdAt, newId, sqlIdAtTimeOf } from "../db/ids";
import { QUEUE_GRACE_MS } from "../delivery/timing";
import type { Deps } from "../deps";
import type { QueuedDelivery } from "../events/store";

/** How many failed deliveries one call queues again, and how many failed attempts it looks at for them. */
const MAX_REOPENED = 500;
const EXAMINED_FAILURES = 5_000;
/** An attempt's id may be this much older than the clock of its delivery. */
const CLOCK_SLACK_MS = 5_000;

const liveSql = (tenantId: string, id: string) =>
  sql`SELECT * FROM subscriptions WHERE id = ${id} AND tenant_id = ${tenantId} AND is_deleted = 0`;

/** What became of the wish for a manual retry. */
export type RetryInsertion =
  | { kind: "queued"; deliveries: QueuedDelivery[] }
  | { kind: "already queued" }
  | { kind: "nothing failed" }
  | { kind: "no delivery" }
  | { kind: "no subscription" };

/**
 * A new delivery of an event, if its attempt failed and no manual retry is under way: the insert decides. The attempt is the
 * last one of `deliveryId`, or, when that is null, of the subscription.
 */
export async function insertRetry(
  { db }: Deps,
  tenantId: string,
  id: string,
  deliveryId: string | null,
  nowMs: number,
): Promise<RetryInsertion> {
  const lastAttempt =
    deliveryId === null
      ? sql`(SELECT max(id) FROM attempts WHERE subscription_id = ${id})`
      : sql`(SELECT last_attempt_id FROM deliveries WHERE id = ${deliveryId} AND subscription_id = ${id})`;
  const [inserted, found] = await atomically(db, [
    sql`INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, sweep_at, created_at)
      SELECT ${sqlIdAtTimeOf(sql`a.event_id`)}, s.tenant_id, s.id, a.event_id, 'retry', ${nowMs}, ${nowMs + QUEUE_GRACE_MS}, ${nowMs}
      FROM (${liveSql(tenantId, id)}) s
      JOIN attempts a ON a.subscription_id = s.id AND a.id = ${lastAttempt} JOIN events e ON e.id = a.event_id
      WHERE a.status = 'failed'
      ON CONFLICT (subscription_id) WHERE kind = 'retry' AND due_at IS NOT NULL DO NOTHING
      RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`,
    sql`SELECT EXISTS (SELECT 1 FROM deliveries WHERE subscription_id = s.id AND kind = 'retry' AND due_at IS NOT NULL) AS underWay,
        ${deliveryId === null ? sql`1` : sql`EXISTS (SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND subscription_id = s.id)`} AS known
      FROM (${liveSql(tenantId, id)}) s`,
  ]);
  if (inserted?.length) return { kind: "queued", deliveries: inserted as QueuedDelivery[] };
  const [subscription] = found as { underWay: 0 | 1; known: 0 | 1 }[];
  if (!subscription) return { kind: "no subscription" };
  if (!subscription.known) return { kind: "no delivery" };
  return { kind: subscription.underWay ? "already queued" : "nothing failed" };
}

/** What was queued again, and where the next page of failures begins; null: no more. */
export interface Requeued {
  enabled: 0 | 1;
  deliveries: QueuedDelivery[];
  nextCursor: string | null;
}

/**
 * Opens again, oldest first, deliveries of events made at `since` (Unix ms) or later that have ended with a failed attempt and
 * that no manual retry has made good: the rows stay, so `webhook-id` does and the subscriber can drop what it has had.
 * Goes along the failed attempts behind `cursor`, a page of them at a time. Undefined when the tenant has no such subscription.
 */
export async function reopenFailed(
  { db }: Deps,
  tenantId: string,
  id: string,
  { since, cursor }: { since: number; cursor?: string | undefined },
  nowMs: number,
): Promise<Requeued | undefined> {
  const after = cursor ?? firstIdAt(since - CLOCK_SLACK_MS);
  const page = sql`SELECT id, delivery_id FROM attempts
    WHERE subscription_id = ${id} AND status = 'failed' AND id > ${after} AND tenant_id = ${tenantId} ORDER BY id LIMIT ${EXAMINED_FAILURES}`;
  const failed = sql`SELECT d.id AS id, p.id AS attempt_id FROM (${liveSql(tenantId, id)}) s CROSS JOIN (${page}) p
    CROSS JOIN deliveries d ON d.id = p.delivery_id AND d.last_attempt_id = p.id
    WHERE s.enabled = 1 AND d.kind = 'event' AND d.due_at IS NULL AND d.created_at >= ${since}
      AND NOT EXISTS (SELECT 1 FROM deliveries r JOIN attempts a ON a.subscription_id = r.subscription_id AND a.id = r.last_attempt_id
        WHERE r.subscription_id = ${id} AND r.event_id = d.event_id AND r.kind = 'retry' AND a.status = 'success')
    ORDER BY p.id LIMIT ${MAX_REOPENED}`;
  const [found, ends, deliveries] = await atomically(db, [
    sql`SELECT enabled FROM (${liveSql(tenantId, id)})`,
    sql`SELECT (SELECT CASE WHEN count(*) = ${MAX_REOPENED} THEN max(attempt_id) END FROM (${failed})) AS full,
      (SELECT CASE WHEN count(*) = ${EXAMINED_FAILURES} THEN max(id) END FROM (${page})) AS examined`,
    sql`UPDATE deliveries SET attempts = 0, interruptions = 0, due_at = ${nowMs}, sweep_at = ${nowMs + QUEUE_GRACE_MS}
      WHERE id IN (SELECT id FROM (${failed}))
      RETURNING id, (SELECT slow_until > ${nowMs} FROM subscriptions WHERE id = subscription_id) AS slow`,
  ]);
  const [subscription] = found as { enabled: 0 | 1 }[];
  const [end] = ends as { full: string | null; examined: string | null }[];
  return (
    subscription && {
      enabled: subscription.enabled,
      deliveries: deliveries as QueuedDelivery[],
      nextCursor: end?.full ?? end?.examined ?? null,
    }
  );
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
