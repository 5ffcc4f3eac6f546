/** What the page of a subscription reads, in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { firstIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { HOUR_MS } from "../../base/time";
import { inEach } from "../../tenancy/moves/places";
import { type LogFilter, logPageOf, logPageSql, WITHOUT_BODIES } from "../../webhooks/log/log-store";
import { mergeLogs } from "../../webhooks/log/merge";
import type { DeliveryOptions } from "../../webhooks/options/delivery-options";
import { parseOptions } from "../../webhooks/options/delivery-options";
import { failureCountOf, isNewestHour } from "../../webhooks/plane/hours-store";
import { isLive } from "../../webhooks/plane/live-store";
import {
  HELD,
  type HourRow,
  hoursOfSubscription,
  IS_FAILING,
  isSlow,
  ofLastFailure,
  PENDING,
  TO_SEND,
  WAITING_FOR_STARTS,
} from "../../webhooks/stats/store";
import { LAST_TRIGGERED_AT } from "../../webhooks/subscriptions/store";
import type { LogRow } from "./log";

/** A subscription without its secret. */
export interface PlainSubscription {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  /** Why the service disabled it; null if it did not. */
  disabledReason: "failing" | "gone" | null;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Whether it has failed so often that mails and metrics count it as failing. */
  isFailing: boolean;
  /** Whether another attempt follows its last failed one. */
  isRetrying: boolean;
  /** Whether most of its answers take longer than a second. */
  isSlow: boolean;
  /** Unix ms. */
  lastTriggeredAt: number | null;
}

type Flag = "enabled" | "isFailing" | "isRetrying" | "isSlow";
/** As D1 returns it. */
export type Stored<T extends PlainSubscription> = Omit<T, Flag | "events"> & Record<Flag, 0 | 1> & { events: string };

export const flagsOf = (row: Record<Flag, 0 | 1>) => ({
  enabled: row.enabled === 1,
  isFailing: row.isFailing === 1,
  isRetrying: row.isRetrying === 1,
  isSlow: row.isSlow === 1,
});

export type HourCounts = Pick<HourRow, "hour" | "succeeded" | "failed">;

/** Of the subscription `s`, as `flagsOf` takes them. */
export const columnsAt = (
  nowMs: number,
): SQL => sql`s.id, s.name, s.url, s.enabled, s.disabled_reason AS disabledReason,
  ${failureCountOf(sql.raw("s.id"))} AS failureCount, ${LAST_TRIGGERED_AT} AS lastTriggeredAt,
  ${IS_FAILING} AS isFailing, ${isSlow(nowMs)} AS isSlow, ${failureCountOf(sql.raw("s.id"))} > 0
    AND ${ofLastFailure("next_id")} IS NOT NULL AS isRetrying`;

export interface Screen {
  subscription: PlainSubscription & {
    events: string[];
    /** Whether it has a program instead of a URL. */
    isListener: boolean;
    secretSealed: string;
    /** Unix ms. */
    createdAt: number;
    pending: number;
    options: DeliveryOptions | null;
    /** When the service disabled it, Unix ms; null if it did not. */
    disabledAt: number | null;
    /** When the failures began, Unix ms; null if the last request did not fail. */
    failingSince: number | null;
    /** The end of the pause that its receiver asked for, Unix ms. */
    cooldownUntil: number;
    headersSealed: string | null;
    /** How many deliveries wait because of its limits. */
    waiting: number;
    /** Null unless its deliveries are held or released step by step. */
    releasedTo: number | null;
    /** How many deliveries the current step releases. */
    releaseRate: number;
    /** How many deliveries are held; 0 while it is enabled. */
    held: number;
    /** How many deliveries of its backlog are still to be sent; 0 while it is paused or disabled. */
    toSend: number;
    /** Whether an attempt has failed in the hours of interest. */
    hasFailed: boolean;
    /** When the next probe is due, Unix ms; null for never. */
    probeAt: number | null;
  };
  hours: HourCounts[];
  log: LogPage;
  /**
   * The delivery whose next attempt comes first; null if none of the latest attempts will be followed by another one.
   */
  waiting: WaitingRow | null;
}

interface WaitingRow {
  lastAttemptId: string;
  /** How many attempts have ended. */
  attempts: number;
  /** When the next attempt is due, in Unix ms. */
  dueAt: number;
}

/** How many of the latest attempts are searched for one whose delivery waits. The log has no index for them. */
const SEARCHED_ATTEMPTS = 200;

/**
 * The planned id of an attempt contains the time at which it is due, so an id later than now means that the delivery
 * waits.
 */
const waitingRows = (tenant: TenantRef, id: string, nowMs: number) =>
  rows<{ lastAttemptId: string; attempts: number; nextAttemptId: string }>(sql`SELECT a.id AS lastAttemptId,
      a.attempt_count AS attempts, a.next_id AS nextAttemptId
    FROM subscriptions s CROSS JOIN (SELECT id, status, attempt_count, next_id FROM attempts
      WHERE subscription_id = ${id}
      ORDER BY id DESC LIMIT ${SEARCHED_ATTEMPTS}) a
    WHERE ${isLive(tenant, id)} AND a.status = 'failed' AND a.next_id >= ${firstIdAt(nowMs)} ORDER BY a.next_id
      LIMIT 1`);

export interface LogPage {
  rows: LogRow[];
  nextCursor: string | null;
}

/** Without payloads and answers: a page of them could be large. */
const logRows = (tenant: TenantRef, id: string, filter: LogFilter) =>
  logPageSql<LogRow>(tenant, id, filter, WITHOUT_BODIES);

/**
 * Reads a subscription, whether it has failed since `failedSinceMs`, its hours since `sinceMs` (both Unix ms) and a
 * page of its log. Returns undefined when the tenant has no such subscription.
 */
export async function findSubscriptionScreen(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  filter: LogFilter,
  times: Times,
): Promise<Screen | undefined> {
  const [present, former] = await inEach(tenant, (place) => readScreen(deps, place, id, filter, times));
  if (!present || !former) return present;
  const { subscription } = present;
  const sum = (count: "pending" | "waiting" | "held" | "toSend") => subscription[count] + former.subscription[count];
  return {
    subscription: {
      ...subscription,
      pending: sum("pending"),
      waiting: sum("waiting"),
      held: sum("held"),
      toSend: sum("toSend"),
      lastTriggeredAt: subscription.lastTriggeredAt ?? former.subscription.lastTriggeredAt,
      hasFailed: subscription.hasFailed || former.subscription.hasFailed,
    },
    hours: addCounts([...present.hours, ...former.hours]),
    log: mergeLogs([present.log, former.log], filter.limit),
    waiting: present.waiting ?? former.waiting,
  };
}

/** Unix ms. */
interface Times {
  sinceMs: number;
  failedSinceMs: number;
  nowMs: number;
}

const addCounts = (counts: readonly HourCounts[]): HourCounts[] =>
  [...Map.groupBy(counts, ({ hour }) => hour)]
    .map(([hour, ofHour]) => ({
      hour,
      succeeded: ofHour.reduce((total, row) => total + row.succeeded, 0),
      failed: ofHour.reduce((total, row) => total + row.failed, 0),
    }))
    .sort((a, b) => a.hour - b.hour);

async function readScreen(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  filter: LogFilter,
  { sinceMs, failedSinceMs, nowMs }: Times,
): Promise<Screen | undefined> {
  const { found, hours, log, next } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<
      Omit<Stored<Screen["subscription"]>, "options" | "hasFailed" | "isListener"> & {
        options: string | null;
        isListener: 0 | 1;
        filter: string | null;
        hasFailed: 0 | 1;
      }
    >(sql`SELECT ${columnsAt(nowMs)}, s.events, s.listener_of IS NOT NULL AS isListener,
      s.secret_sealed AS secretSealed,
      s.created_at AS createdAt, s.options, s.filter, s.disabled_at AS disabledAt, s.held_until AS cooldownUntil,
      s.headers_sealed AS headersSealed, s.released_to AS releasedTo, s.release_rate AS releaseRate,
      ${HELD} AS held, ${TO_SEND} AS toSend,
      EXISTS (SELECT 1 FROM hourly_stats h WHERE h.subscription_id = s.id AND h.hour >= ${failedSinceMs - HOUR_MS}
        AND h.failed > 0) AS hasFailed, (SELECT probe_at FROM episodes
        WHERE subscription_id = s.id) AS probeAt, coalesce((SELECT failing_since FROM episodes
        WHERE subscription_id = s.id),
        (SELECT h.failing_since FROM hourly_stats h WHERE ${isNewestHour(sql`s.id`)}
          AND h.sent_failures > 0)) AS failingSince,
      ${PENDING} AS pending, ${WAITING_FOR_STARTS} AS waiting FROM subscriptions s WHERE ${isLive(tenant, id)}`),
    hours: hoursOfSubscription(tenant, id, sinceMs),
    log: logRows(tenant, id, filter),
    next: waitingRows(tenant, id, nowMs),
  });
  const [row] = found;
  if (!row) return undefined;
  const events = JSON.parse(row.events) as string[];
  const subscription = {
    ...row,
    events,
    ...flagsOf(row),
    hasFailed: row.hasFailed === 1,
    isListener: row.isListener === 1,
    options: parseOptions(row.options, row.filter),
  };
  const [first] = next;
  const waiting = first === undefined ? null : { ...first, dueAt: timeOfId(first.nextAttemptId) };
  return { subscription, hours, log: logPageOf(log, filter), waiting };
}

/** A page of the log alone; undefined when the tenant has no such subscription. */
export async function findLog(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  filter: LogFilter,
): Promise<LogPage | undefined> {
  const [present, former] = await inEach(tenant, (place) => readLogIn(deps, place, id, filter));
  return present && former ? mergeLogs([present, former], filter.limit) : present;
}

async function readLogIn(deps: Deps, tenant: TenantRef, id: string, filter: LogFilter): Promise<LogPage | undefined> {
  const { found, log } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, id)}`),
    log: logRows(tenant, id, filter),
  });
  return found.length === 1 ? logPageOf(log, filter) : undefined;
}
