/**
 * Reading the hourly counts. Every statement reads a range of the key, so its cost does not depend on the number of
 * attempts.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, queryFirst, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import { answersWithin, failureCountOf } from "../plane/hours-store";
import { BUCKET_STARTS_MS } from "../plane/latency";
import { IS_SHOWN, isLive } from "../plane/live-store";
import { IS_DUE_AT_SLOT, MAIN, PLANNED_ID } from "../plane/outbox-store";
import { isSlowAt } from "../plane/predicates-store";
import { STAGE } from "../plane/stages";
import type { AttemptCounts } from "./schemas";

const MAX_ATTENTION = 20;
/**
 * How many of the newest attempts are searched for the last failed one. Attempts in progress and later successes may
 * precede it.
 */
const MAX_NEWER_ATTEMPTS = 500;
/** How many of the newest attempts are searched for those in progress. */
const NEWEST_ATTEMPTS = 1_000;
/** The most deliveries that are counted as waiting, held or still to be sent. */
const MAX_COUNTED = 10_000;

/** The counts of one hour. */
export interface HourRow {
  /** The start of the hour, Unix ms. */
  hour: number;
  succeeded: number;
  failed: number;
  /** A JSON array with the number of attempts in each latency bucket. */
  histogramJson: string;
}

const histogram = (of: (column: string) => string) =>
  sql.raw(`json_array(${BUCKET_STARTS_MS.map((_, bucket) => of(`h.latency_${bucket}`)).join(", ")})`);

/** Returns the statement that reads the hours of one subscription since `fromMs`, oldest first. */
export const hoursOfSubscription = (tenant: TenantRef, subscriptionId: string, fromMs: number): Rows<HourRow> =>
  rows(sql`SELECT h.hour, h.succeeded, h.failed, ${histogram((column) => column)} AS histogramJson
    FROM subscriptions s CROSS JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour >= ${fromMs}
    WHERE ${isLive(tenant, subscriptionId)} ORDER BY h.hour`);

/** The number of attempts of the subscription `s` that are in progress, as SQL. */
export const PENDING = sql`(SELECT count(*) FROM (SELECT a.status FROM attempts a WHERE a.subscription_id = s.id
  ORDER BY a.id DESC LIMIT ${NEWEST_ATTEMPTS}) WHERE status = 'pending')`;

/** The outbox rows of the subscription `s` that wait because of its limits, as SQL. */
const WAITING = sql`outbox o WHERE o.subscription_id = s.id AND ${IS_DUE_AT_SLOT}`;
/** How many deliveries of the subscription `s` wait because of its limits, as SQL. */
export const WAITING_FOR_STARTS = sql`iif(s.options IS NULL, 0, (SELECT count(*) FROM (SELECT 1 FROM ${WAITING}
  LIMIT ${MAX_COUNTED})))`;

/**
 * Returns the hours of a subscription since `fromMs`, and its attempts in progress; undefined when the tenant has no
 * such subscription.
 */
export async function findSubscriptionHours(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  fromMs: number,
): Promise<{ pending: number; hours: HourRow[] } | undefined> {
  const { found, hours } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ pending: number }>(
      sql`SELECT ${PENDING} AS pending FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`,
    ),
    hours: hoursOfSubscription(tenant, subscriptionId, fromMs),
  });
  const [subscription] = found;
  return subscription && { pending: subscription.pending, hours };
}

/**
 * Counts the attempts by status and, if there are limits, the waiting deliveries; undefined when the tenant has no such
 * subscription.
 */
export async function countAttempts(deps: Deps, tenant: TenantRef, id: string): Promise<AttemptCounts | undefined> {
  const found = await queryFirst<
    Omit<AttemptCounts, "total" | "throttle"> & { isLimited: 0 | 1; waiting: number; nextSlotAt: number | null }
  >(deps.shards.db(tenant.shard))`SELECT coalesce(sum(h.succeeded), 0) AS success,
      coalesce(sum(h.failed), 0) AS failed, ${PENDING} AS pending,
      coalesce(s.options ->> '$.rateLimit', s.options ->> '$.maxConcurrent') IS NOT NULL AS isLimited,
      ${WAITING_FOR_STARTS} AS waiting, iif(s.options IS NULL, NULL, (SELECT min(o.slot_at)
        FROM ${WAITING})) AS nextSlotAt
    FROM subscriptions s LEFT JOIN hourly_stats h ON h.subscription_id = s.id WHERE ${isLive(tenant, id)}
      GROUP BY s.id`;
  if (!found) return undefined;
  const { isLimited, waiting, nextSlotAt, ...byStatus } = found;
  const total = byStatus.success + byStatus.failed + byStatus.pending;
  const throttle = { waiting, nextSlotAt: iso(nextSlotAt) };
  return { total, ...byStatus, ...(isLimited ? { throttle } : {}) };
}

/** A subscription that needs attention. Flags are 0 or 1. */
export interface AttentionRow {
  id: string;
  name: string;
  enabled: 0 | 1;
  disabledReason: "failing" | "gone" | null;
  failureCount: number;
  isFailing: 0 | 1;
  /** Whether its receiver asked for a pause. */
  isThrottled: 0 | 1;
  slow: 0 | 1;
  /** Its last failed attempt; null if it does not fail. */
  attemptId: string | null;
  error: string | null;
  /** Whether another attempt follows the last failed one. */
  isRetrying: 0 | 1;
}

/**
 * Whether the subscription `s` is failing, as SQL: in the console, the metrics and the mails, it has failed at least
 * `MIN_FAILURES` times in a row.
 */
export const IS_FAILING = sql`EXISTS (SELECT 1 FROM episodes ep WHERE ep.subscription_id = s.id
  AND ep.failing_since IS NOT NULL AND ep.stage <> ${STAGE.recovered})`;

/** The newest failed attempt of the subscription `s`, as SQL that selects `column`. */
export const ofLastFailure = (column: "id" | "error" | "next_id"): SQL => sql`(SELECT ${sql.raw(column)} FROM (
  SELECT a.id, a.status, a.error, a.next_id FROM attempts a WHERE a.subscription_id = s.id
    ORDER BY a.id DESC LIMIT ${MAX_NEWER_ATTEMPTS}) WHERE status = 'failed' LIMIT 1)`;

/** Answers that take longer are slow. */
const SLOW_ANSWER_MS = 1_000;
/**
 * Whether the subscription `s` is slow, as SQL: its deliveries go through the slow queue, and most of its answers took
 * longer. One that answers quickly, but with 429 or 503, goes through that queue too.
 */
export const isSlow = (nowMs: number): SQL =>
  sql`(${isSlowAt(nowMs)} AND NOT ${answersWithin(sql.raw("s.id"), SLOW_ANSWER_MS)})`;

const countUpTo = (found: SQL): SQL => sql`(SELECT count(*) FROM (SELECT 1 FROM ${found} LIMIT ${MAX_COUNTED}))`;

/** The outbox rows that the subscription `s` holds, as SQL; none while it is enabled. */
const HELD_ROWS = sql.raw("outbox o WHERE s.enabled = 0 AND o.queue = s.id AND o.due_at > s.released_to");
/**
 * The outbox rows in the backlog of the subscription `s` that are still to be sent, as SQL; none while it is paused.
 */
const ROWS_TO_SEND = sql.raw(
  "outbox o WHERE s.enabled AND s.has_backlog AND o.queue = s.id AND o.due_at > coalesce(s.dropped_to, 0)",
);
/** How many deliveries the subscription `s` holds, as SQL; at most `MAX_COUNTED`. */
export const HELD = countUpTo(HELD_ROWS);
/** How many deliveries of the subscription `s` are still to be sent, as SQL; at most `MAX_COUNTED`. */
export const TO_SEND = countUpTo(ROWS_TO_SEND);

/**
 * Counts of a tenant's subscriptions that fail or were disabled by the service, and of its deliveries that are held or
 * in a backlog.
 */
export interface HealthCounts {
  failing: number;
  disabled: number;
  held: number;
  toSend: number;
}

const summed = (column: string) => `sum(${column})`;

/**
 * Returns the hours of the whole tenant, how many attempts are in progress, and the subscriptions that need attention,
 * worst first.
 */
export async function readTenantHours(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  fromMs: number,
  nowMs: number,
): Promise<{ hours: HourRow[]; pending: number; attention: AttentionRow[]; health: HealthCounts }> {
  const ofAll = (found: SQL) => countUpTo(sql`subscriptions s CROSS JOIN ${found} AND ${ofTenant}`);
  const isThrottled = sql`s.held_until > ${nowMs}`;
  const slow = isSlow(nowMs);
  const ofTenant: SQL = sql`s.tenant_id = ${tenantId} AND s.is_deleted = 0`;
  // A listener that is not connected, or whose program fails, concerns only the person who runs it.
  const withUrl = sql`${ofTenant} AND s.listener_of IS NULL AND ${IS_SHOWN}`;
  const { hours, pending, attention, health } = await atomically(deps.shards.db(shard), {
    hours: rows<HourRow>(sql`SELECT h.hour, sum(h.succeeded) AS succeeded, sum(h.failed) AS failed, ${histogram(summed)}
        AS histogramJson
      FROM subscriptions s CROSS JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour >= ${fromMs}
      WHERE s.tenant_id = ${tenantId} GROUP BY h.hour ORDER BY h.hour`),
    pending: rows<{
      count: number;
    }>(sql`SELECT count(*) AS count FROM (SELECT * FROM outbox WHERE queue = ${MAIN} AND due_at <= ${nowMs}
      ORDER BY due_at, id
        LIMIT ${NEWEST_ATTEMPTS}) o CROSS JOIN attempts a ON a.subscription_id = o.subscription_id
          AND a.id = ${PLANNED_ID}
      WHERE o.tenant_id = ${tenantId} AND a.status = 'pending'`),
    health: rows<HealthCounts>(sql`SELECT coalesce(sum(s.enabled AND ${IS_FAILING}), 0) AS failing,
        coalesce(sum(s.disabled_reason IS NOT NULL), 0) AS disabled,
        ${ofAll(HELD_ROWS)} AS held, ${ofAll(ROWS_TO_SEND)} AS toSend
      FROM subscriptions s WHERE ${withUrl}`),
    attention: rows<AttentionRow>(sql`SELECT s.id, s.name, s.enabled, s.disabled_reason AS disabledReason,
        s.failureCount, ${slow} AS slow, ${isThrottled} AS isThrottled, ${IS_FAILING} AS isFailing,
        CASE WHEN s.failureCount > 0 THEN ${ofLastFailure("id")} END AS attemptId,
        CASE WHEN s.failureCount > 0 THEN ${ofLastFailure("error")} END AS error,
        s.failureCount > 0 AND ${ofLastFailure("next_id")} IS NOT NULL AS isRetrying
      FROM (SELECT s.*, ${failureCountOf(sql.raw("s.id"))} AS failureCount FROM subscriptions s WHERE ${withUrl}) s
      WHERE s.failureCount > 0 OR ${isThrottled} OR ${slow} OR s.enabled = 0
      ORDER BY s.failureCount DESC, s.slow_until DESC LIMIT ${MAX_ATTENTION}`),
  });
  const nothing = { failing: 0, disabled: 0, held: 0, toSend: 0 };
  return { hours, pending: pending[0]?.count ?? 0, attention, health: health[0] ?? nothing };
}
