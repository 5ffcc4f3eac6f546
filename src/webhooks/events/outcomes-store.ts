/**
 * What became of an event at each subscription, in one round trip. The outbox has no index by event, so deliveries are
 * found through ids that can be computed: the first attempt has the delivery's own id, and each attempt names the next
 * one, whose id contains the time at which it is due. A delivery without an attempt is due when the event was accepted.
 * The rest follows from the state of its subscription at the time of the event.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { deliveryIdOf, timeOfId, timeOfIdSql } from "../../base/db/ids";
import { fromStored } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import { ALL_OPERATIONAL, TEST_EVENT_TYPE } from "../../base/schemas/event-type";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { enabledAt, eventsAt, switchedBetween } from "../plane/former-states-store";
import { isFrozen } from "../plane/frozen-store";
import { IS_DUE_AT_SLOT, MAIN, MAX_TRAIL_ROWS, PLACEHOLDER } from "../plane/outbox-store";
import { aboutOf, listsType } from "../plane/patterns-store";
import { FILTERED_OF_EVENT, isFilteredFrom, PAYLOAD } from "../plane/payload-store";
import { FAN_OUT_TAKES_MS, ID_BEFORE_MS } from "../plane/timing";
import type { EventRow } from "./list-store";

/** The most subscriptions on a page, and the most that are read to find them. */
const PAGE_SUBSCRIPTIONS = 100;
const EXAMINED_SUBSCRIPTIONS = 1_000;

/** One event with its payload. */
export interface StoredEvent extends EventRow {
  payload: string;
  /** 1 while an operator has frozen what is sent for the tenant. */
  isFrozen: 0 | 1;
}

/** A subscription that wanted an event, with what is known about its delivery. Flags are 0 or 1. */
export interface WantingRow {
  id: string;
  name: string;
  deliveryId: string;
  enabled: 0 | 1;
  isDeleted: 0 | 1;
  /** Whether it was made after the event. */
  isNewer: 0 | 1;
  /** Whether it was enabled when the event was published, as far as is known, and wanted it. */
  wasEnabled: 0 | 1;
  /** Whether its filter did not let the event through. */
  isFiltered: 0 | 1;
  /** Its present filter, if it was filtered and its filter has not changed since; otherwise null. */
  filter: string | null;
  /** Whether the fan-out has not reached it. */
  isAhead: 0 | 1;
  hasBacklog: 0 | 1;
  cooldownUntil: number;
  /** Deliveries that are due after this time (Unix ms) are held; null: none are. */
  releasedTo: number | null;
  /** The outbox queue in which the delivery waits for its first attempt; null if it is not there. */
  queue: string | null;
}

/** An attempt of a delivery, or the next one that is planned. */
export interface TrailRow {
  webhookId: string;
  /** Whether it belongs to a manual retry. */
  isRetry: 0 | 1;
  id: string;
  /** Null if the attempt has not begun. */
  status: "pending" | "success" | "failed" | null;
  nextId: string | null;
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: number;
  completedAt: number | null;
  /** For a planned attempt that waits because of its subscription's limits: until when, Unix ms; otherwise null. */
  slotAt: number | null;
}

/**
 * Returns the event with one page of the subscriptions that wanted it, oldest first, and their newest attempts; null
 * when the tenant has no such event.
 */
export async function readOutcomes(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  eventId: string,
  cursor?: string,
): Promise<{ event: StoredEvent; wanting: WantingRow[]; trails: TrailRow[]; nextCursor: string | null } | null> {
  const examined = examinedSql(tenantId, cursor);
  const event = sql`${eventSql(tenantId, eventId)}, ${isTestSql(tenantId, eventId)}`;
  const listed = sql`${event}, ${examined}, ${listedSql(eventId)}`;
  const { found, wanting, trails, ends } = await atomically(deps.shards.db(shard), {
    found: rows<StoredEvent>(sql`SELECT id, type, ${PAYLOAD} AS payload, correlation_id AS correlationId,
        order_key AS orderKey, order_sequence AS sequence, delivery_count AS deliveryCount, ${FILTERED_OF_EVENT}
          AS filtered, test_of IS NOT NULL AS isTest,
        created_at AS createdAt, ${isFrozen(sql`${tenantId}`)} AS isFrozen FROM events WHERE id = ${eventId}
          AND tenant_id = ${tenantId}`),
    wanting: rows<WantingRow>(sql`WITH ${listed}
      SELECT id, name, ${deliveryIdOf(eventId, sql`id`)} AS deliveryId, enabled, is_deleted AS isDeleted,
        is_newer AS isNewer, was_enabled AS wasEnabled, is_filtered AS isFiltered, filter, is_ahead AS isAhead,
          has_backlog AS hasBacklog,
        held_until AS cooldownUntil, released_to AS releasedTo, waits_in AS queue
      FROM listed ORDER BY created_at, id`),
    trails: rows<TrailRow>(trailsSql(listed, eventId)),
    ends: rows<{ examined: string | null }>(sql`WITH ${examined}
      SELECT CASE WHEN count(*) = ${EXAMINED_SUBSCRIPTIONS} THEN (SELECT id FROM s ORDER BY created_at DESC, id DESC
        LIMIT 1) END AS examined
      FROM s`),
  });
  const [stored] = found;
  if (!stored) return null;
  const page = wanting.slice(0, PAGE_SUBSCRIPTIONS);
  const isFull = wanting.length > page.length;
  const nextCursor = isFull ? (page.at(-1)?.id ?? null) : (ends[0]?.examined ?? null);
  const payload = await fromStored(stored.payload);
  return { event: { ...stored, payload }, wanting: page, trails, nextCursor };
}

const eventSql = (tenantId: string, eventId: string) =>
  sql`event AS MATERIALIZED (SELECT id, tenant_id, type, created_at, fan_out_after, filtered, test_of,
      CASE WHEN type GLOB ${ALL_OPERATIONAL} THEN ${aboutOf(sql`payload`)} ELSE '' END AS about FROM events
        WHERE id = ${eventId} AND tenant_id = ${tenantId})`;

/** The subscriptions after the cursor, wanting the event or not. */
function examinedSql(tenantId: string, cursor: string | undefined): SQL {
  const after =
    cursor === undefined
      ? sql`true`
      : sql`(s.created_at, s.id) > (coalesce((SELECT created_at FROM subscriptions
        WHERE id = ${cursor}), ${timeOfId(cursor)}), ${cursor})`;
  return sql`s AS MATERIALIZED (SELECT s.id, s.name, s.events, s.enabled, s.is_deleted,
      s.created_at, s.updated_at, s.has_backlog, s.held_until, s.released_to, s.former_states, s.filter
        AS present_filter,
      s.filter_since FROM subscriptions s
        WHERE s.tenant_id = ${tenantId} AND ${after}
    ORDER BY s.created_at, s.id LIMIT ${EXAMINED_SUBSCRIPTIONS})`;
}

/** The first attempt `a` of the delivery to the subscription `s`. */
const firstAttempt = (eventId: string) =>
  sql`attempts a WHERE a.subscription_id = s.id AND a.id = ${deliveryIdOf(eventId, sql`s.id`)}`;

/** The delivery `o` to the subscription `s`, while it waits for its first attempt. */
const waiting = (eventId: string) => sql`outbox o WHERE o.queue IN (${MAIN}, s.id) AND o.due_at = event.created_at
    AND o.id = ${deliveryIdOf(eventId, sql`s.id`)} AND o.event_id = ${eventId}`;

/** Nobody but the tested subscription wanted the event of a test. Those before migration 0062 have no mark. */
const isTestSql = (tenantId: string, eventId: string) => sql`test AS MATERIALIZED (SELECT event.test_of IS NOT NULL
    OR (event.type = ${TEST_EVENT_TYPE} AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.tenant_id = ${tenantId}
      AND (EXISTS (SELECT 1 FROM ${firstAttempt(eventId)} AND a.kind = 'test')
        OR EXISTS (SELECT 1 FROM ${waiting(eventId)} AND o.kind = 'test')))) AS is_test FROM event)`;

/** Those of the examined subscriptions that wanted the event. */
function listedSql(eventId: string): SQL {
  const published = sql`event.created_at`;
  const isFiltered = isFilteredFrom(sql`s.id`, sql`event.filtered`);
  // `s` stands for the examined subscriptions, as the SQL about former states expects.
  return sql`listed AS MATERIALIZED (SELECT s.*, s.created_at > ${published} AS is_newer,
      coalesce(s.id > event.fan_out_after, 0) AS is_ahead, ${enabledAt(published)}
        AND NOT ${switchedBetween(sql`${published} - ${ID_BEFORE_MS}`, sql`${published} + ${FAN_OUT_TAKES_MS}`)}
          AS was_enabled,
      ${isFiltered} AS is_filtered, iif(coalesce(s.filter_since, 0) <= ${published} AND ${isFiltered},
        s.present_filter, NULL) AS filter,
      (SELECT o.queue FROM ${waiting(eventId)}) AS waits_in
    FROM event CROSS JOIN test CROSS JOIN s
    WHERE EXISTS (SELECT 1 FROM ${firstAttempt(eventId)}) OR EXISTS (SELECT 1 FROM ${waiting(eventId)})
      OR (NOT test.is_test AND ${listsType(eventsAt(published), sql`event.type`, sql`event.tenant_id`)}
        AND s.id <> event.about
        AND NOT (s.is_deleted = 1 AND s.updated_at <= event.created_at))
    ORDER BY s.created_at, s.id LIMIT ${PAGE_SUBSCRIPTIONS + 1})`;
}

/** The newest two attempts of each delivery and of each manual retry, planned ones too. */
const trailsSql = (listed: SQL, eventId: string) => sql`WITH RECURSIVE ${listed},
  trail(subscription_id, is_retry, delivery_id, id, position) AS (
    SELECT id, 0, ${deliveryIdOf(eventId, sql`id`)}, ${deliveryIdOf(eventId, sql`id`)}, 1 FROM listed
    UNION ALL SELECT m.subscription_id, 1, m.delivery_id, m.delivery_id, 1 FROM listed CROSS JOIN manual_retries m
      ON m.subscription_id = listed.id AND m.event_id = ${eventId} AND m.state IN ('open', 'success')
    UNION ALL SELECT trail.subscription_id, is_retry, trail.delivery_id, a.next_id, position + 1 FROM trail
      CROSS JOIN attempts a ON a.subscription_id = trail.subscription_id AND a.id = trail.id
      WHERE a.next_id IS NOT NULL AND position < ${MAX_TRAIL_ROWS}),
  newest AS (SELECT trail.subscription_id, is_retry, trail.delivery_id, trail.id, row_number() OVER (PARTITION
    BY trail.subscription_id, is_retry ORDER BY position DESC) AS rank
    FROM trail LEFT JOIN attempts a ON a.subscription_id = trail.subscription_id AND a.id = trail.id
    WHERE a.status IS NULL OR a.status <> ${PLACEHOLDER})
  SELECT newest.subscription_id AS webhookId, is_retry AS isRetry, newest.id, a.status, a.next_id AS nextId,
    a.response_code AS responseCode, a.error, a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt,
    a.completed_at AS completedAt,
    CASE WHEN a.id IS NULL THEN (SELECT o.slot_at FROM outbox o WHERE o.queue IN (${MAIN}, newest.subscription_id)
      AND o.due_at = ${timeOfIdSql("newest.id")} AND o.id = newest.delivery_id AND ${IS_DUE_AT_SLOT}) END AS slotAt
  FROM newest LEFT JOIN attempts a ON a.subscription_id = newest.subscription_id AND a.id = newest.id
  WHERE rank <= 2 ORDER BY rank`;
