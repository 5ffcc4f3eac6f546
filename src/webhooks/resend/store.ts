/** Manual retries and tests in the delivery database of their tenant, each in one round trip. */

import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { deliveryIdOf, firstIdAt, newIdAt, timeOfId } from "../../base/db/ids";
import { longTextOf, type StoredText } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import type { OutboxKey } from "../../base/messages";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { attemptChain } from "../log/store";
import type { DueDelivery } from "../plane/enqueue";
import { isLive } from "../plane/live-store";
import { insertDeliveries, isInMain, KEY_COLUMNS_OF_O, MAIN, PLACEHOLDER } from "../plane/outbox-store";
import { PAYLOAD_BYTES_OF_E } from "../plane/payload-store";
import { isSlowAt } from "../plane/predicates-store";
import { ID_BEFORE_MS } from "../plane/timing";
import { reopenStatements } from "./reopen-store";

/** The most failed deliveries that one call of `insertRetries` queues again. */
export const MAX_RETRIES_PER_CALL = 500;
/** The most attempts that such a call reads to find them. */
const EXAMINED_ATTEMPTS = 10_000;
/**
 * How many of the newest ids are searched for the latest attempt. Ids are only approximately in the order in which
 * attempts start.
 */
const NEWEST_ATTEMPTS = 100;

const live = (tenant: TenantRef, id: string) => sql`(SELECT * FROM subscriptions s WHERE ${isLive(tenant, id)}) s`;

const dueRow = (where: SQL, nowMs: number) =>
  rows<DueDelivery>(sql`SELECT ${KEY_COLUMNS_OF_O},
    ${isSlowAt(nowMs)} AS slow
    FROM outbox o CROSS JOIN subscriptions s ON s.id = o.subscription_id WHERE o.queue = ${MAIN} AND o.due_at = ${nowMs}
      AND ${where}`);

/** Selects a delivery that has not had an attempt yet. It is due at the time in its id. */
const unattempted = (subscriptionId: string, deliveryId: string) => sql`SELECT 1 FROM outbox o
  WHERE o.queue IN (${MAIN}, ${subscriptionId}) AND o.due_at = ${timeOfId(deliveryId) || 0} AND o.id = ${deliveryId}
    AND o.subscription_id = ${subscriptionId}`;

/**
 * Whether the delivery is new, rather than made by an earlier try of a repeated call: it is not in the outbox and has
 * had no attempt.
 */
const isNew = (subscriptionId: string, deliveryId: SQL | string, nowMs: number) => sql`
  NOT EXISTS (SELECT 1 FROM outbox o WHERE o.queue = ${MAIN} AND o.due_at = ${nowMs} AND o.id = ${deliveryId})
  AND NOT EXISTS (SELECT 1 FROM attempts f WHERE f.subscription_id = ${subscriptionId} AND f.id = ${deliveryId})`;

/** The result of `insertRetry`. */
export type InsertedRetry =
  | { kind: "queued"; due: DueDelivery[] }
  | { kind: "already queued" }
  | { kind: "nothing failed" }
  | { kind: "no delivery" }
  | { kind: "no subscription" };

/**
 * Inserts a manual retry: a new delivery of the event of a failed attempt. That attempt is the last one of `deliveryId`
 * or, if that is null, the latest of the subscription. Inserts nothing while a manual retry of the same event is open,
 * which the write itself checks.
 */
export async function insertRetry(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  deliveryId: string | null,
  nowMs: number,
): Promise<InsertedRetry> {
  const retryId = newIdAt(nowMs);
  const candidates =
    deliveryId === null
      ? sql`SELECT * FROM attempts WHERE subscription_id = ${id} AND status <> ${PLACEHOLDER} ORDER BY id DESC
        LIMIT ${NEWEST_ATTEMPTS}`
      : sql`${attemptChain(id, sql`${deliveryId}`)} SELECT a.* FROM chain CROSS JOIN attempts a
          ON a.subscription_id = ${id} AND a.id = chain.id AND a.status <> ${PLACEHOLDER}`;
  const last = sql`(SELECT * FROM (${candidates}) ORDER BY attempted_at DESC, id DESC LIMIT 1) a`;
  const { due, found } = await repeatable(() =>
    atomically(deps.shards.db(tenant.shard), {
      opened: sql`INSERT INTO manual_retries (subscription_id, event_id, delivery_id, state)
        SELECT s.id, a.event_id, ${retryId}, 'open' FROM ${live(tenant, id)} CROSS JOIN ${last} CROSS
          JOIN events e ON e.id = a.event_id
        WHERE a.status = 'failed'
        ON CONFLICT (subscription_id, event_id) DO UPDATE SET delivery_id = excluded.delivery_id, state = 'open'
          WHERE state <> 'open'`,
      outbox: insertDeliveries(
        {
          queue: MAIN,
          dueAt: nowMs,
          id: sql`m.delivery_id`,
          eventId: sql`e.id`,
          kind: "retry",
          bytes: PAYLOAD_BYTES_OF_E,
        },
        sql`FROM ${live(tenant, id)} CROSS JOIN ${last}
        CROSS JOIN manual_retries m ON m.subscription_id = s.id AND m.event_id = a.event_id
          AND m.delivery_id = ${retryId}
        CROSS JOIN events e ON e.id = m.event_id WHERE ${isNew(id, retryId, nowMs)}`,
      ),
      due: dueRow(sql`o.id = ${retryId}`, nowMs),
      found: rows<{ isOpen: 0 | 1; isKnown: 0 | 1 }>(sql`SELECT
          EXISTS (SELECT 1 FROM manual_retries m WHERE m.subscription_id = s.id AND m.state = 'open'
          ${deliveryId === null ? sql`` : sql`AND m.event_id = (SELECT a.event_id FROM ${last})`}) AS isOpen,
          ${
            deliveryId === null
              ? sql`1`
              : sql`(EXISTS (SELECT 1 FROM ${last}) OR
            EXISTS (${unattempted(id, deliveryId)}))`
          } AS isKnown
        FROM ${live(tenant, id)}`),
    }),
  );
  if (due.length > 0) return { kind: "queued", due };
  const [subscription] = found;
  if (!subscription) return { kind: "no subscription" };
  if (!subscription.isKnown) return { kind: "no delivery" };
  return { kind: subscription.isOpen ? "already queued" : "nothing failed" };
}

/** The deliveries that were queued again. */
export interface InsertedRetries {
  enabled: 0 | 1;
  due: OutboxKey[];
  count: number;
  /** The cursor of the next page of failures; null when there is none. */
  nextCursor: string | null;
}

/**
 * Puts failed deliveries back into the outbox, oldest first: those of events published at `since` (Unix ms) or later
 * whose last attempt failed and whose event no manual retry has delivered. They keep their ids, so the `webhook-id`
 * stays the same and subscribers can recognise duplicates. Reads one page of attempts after `cursor`. Returns undefined
 * when the tenant has no such subscription.
 */
export async function insertRetries(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  { since, cursor, limit }: { since: number; cursor?: string | undefined; limit: number },
  nowMs: number,
): Promise<InsertedRetries | undefined> {
  const after = cursor ?? firstIdAt(since - ID_BEFORE_MS);
  const page = sql`SELECT a.* FROM attempts a WHERE a.subscription_id = ${id} AND a.id > ${after} ORDER BY a.id
    LIMIT ${EXAMINED_ATTEMPTS}`;
  const failed = sql`SELECT p.id AS attempt_id, coalesce(p.delivery_id, p.id) AS delivery_id, p.event_id AS event_id,
    p.kind AS kind
    FROM ${live(tenant, id)} CROSS JOIN (${page}) p
    WHERE s.enabled = 1 AND p.status = 'failed' AND p.kind IN ('event', 'replay') AND p.next_id IS NULL
      AND p.event_id >= ${firstIdAt(since)}
      AND NOT EXISTS (SELECT 1 FROM manual_retries m WHERE m.subscription_id = ${id} AND m.event_id = p.event_id
        AND m.state = 'success')
    ORDER BY p.id LIMIT ${limit}`;
  const { found, ends, opened } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ enabled: 0 | 1 }>(sql`SELECT s.enabled FROM ${live(tenant, id)}`),
    // Before `linked`, which sets `next_id`, because attempts with a `next_id` do not count as failed here.
    ends: rows<{ full: string | null; examined: string | null }>(sql`SELECT
      (SELECT CASE WHEN count(*) = ${limit} THEN max(attempt_id) END FROM (${failed})) AS full,
      (SELECT CASE WHEN count(*) = ${EXAMINED_ATTEMPTS} THEN max(id) END FROM (${page})) AS examined`),
    ...reopenStatements(failed, id, nowMs),
  });
  const [subscription] = found;
  if (!subscription) return undefined;
  const due = opened.filter(isInMain);
  const [end] = ends;
  return { enabled: subscription.enabled, due, count: opened.length, nextCursor: end?.full ?? end?.examined ?? null };
}

/**
 * Inserts an event for this subscription alone, whatever types it lists, and marks it as a test. Returns the delivery;
 * null without such a subscription.
 */
export async function insertTest(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  event: { type: string; payload: StoredText; bytes: number },
  nowMs: number,
): Promise<DueDelivery[] | null> {
  // Not consecutive ids: the delivery id contains the first half of the event's id, which must be unique in its
  // millisecond.
  const eventId = newIdAt(nowMs);
  const { found, due } = await repeatable(() =>
    atomically(deps.shards.db(tenant.shard), {
      found: rows<{ id: string }>(sql`SELECT s.id FROM ${live(tenant, id)}`),
      event: sql`INSERT INTO events (id, tenant_id, type, payload, long_bytes, long_payload, delivery_count, created_at,
          test_of)
        SELECT ${eventId}, s.tenant_id, ${event.type}, coalesce(p.value ->> 'short', 'null'),
          iif(p.value ->> 'short' IS NULL, ${event.bytes}, NULL), ${longTextOf(sql`p.value`)}, 1, ${nowMs}, s.id
        FROM ${live(tenant, id)} CROSS JOIN (SELECT ${JSON.stringify(event.payload)} AS value) p WHERE true
        ON CONFLICT DO NOTHING`,
      outbox: insertDeliveries(
        {
          queue: MAIN,
          dueAt: nowMs,
          id: deliveryIdOf(eventId, sql`s.id`),
          eventId,
          kind: "test",
          bytes: event.bytes,
        },
        sql`FROM ${live(tenant, id)} WHERE ${isNew(id, deliveryIdOf(eventId, id), nowMs)}`,
      ),
      due: dueRow(sql`o.id = ${deliveryIdOf(eventId, id)}`, nowMs),
    }),
  );
  return found.length === 0 ? null : due;
}
