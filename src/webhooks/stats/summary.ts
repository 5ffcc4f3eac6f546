/** Counts and latency per hour, for one subscription and for the whole tenant. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { HOUR_MS, hourOf, iso } from "../../base/time";
import { inEach } from "../../tenancy/moves/places";
import { addUp, type Histogram, percentileMs } from "../plane/latency";
import type { AttemptCounts, SubscriptionStats, TenantStats } from "./schemas";
import {
  type AttentionRow,
  countAttempts,
  findSubscriptionHours,
  type HealthCounts,
  type HourRow,
  readTenantHours,
} from "./store";

/** Returns the last `hours` hours of one subscription, the current one included. Throws NOT_FOUND. */
export async function statsOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  hours: number,
): Promise<SubscriptionStats> {
  const fromMs = startOf(deps.now(), hours);
  const [found, ...former] = await inEach(tenant, (place) => findSubscriptionHours(deps, place, id, fromMs));
  if (!found) throw notFound("Webhook");
  const all = [found, ...former.filter((read) => read !== undefined)];
  const pending = all.reduce((sum, read) => sum + read.pending, 0);
  return summary(addHours(all.flatMap((read) => read.hours)), fromMs, hours, pending);
}

/** Counts the attempts of a subscription by status, and, if it has limits, what waits for them. Throws NOT_FOUND. */
export async function attemptCountsOf(deps: Deps, tenant: TenantRef, id: string): Promise<AttemptCounts> {
  const [present, former] = await inEach(tenant, (place) => countAttempts(deps, place, id));
  if (!present) throw notFound("Webhook");
  if (!former) return present;
  const { throttle } = present;
  const slots = [throttle?.nextSlotAt, former.throttle?.nextSlotAt].filter((at) => typeof at === "string").sort();
  return {
    total: present.total + former.total,
    success: present.success + former.success,
    failed: present.failed + former.failed,
    pending: present.pending + former.pending,
    ...(throttle && {
      throttle: { waiting: throttle.waiting + (former.throttle?.waiting ?? 0), nextSlotAt: slots[0] ?? null },
    }),
  };
}

/** Returns the last `hours` hours of the tenant, and the subscriptions that need attention. */
export async function statsOfTenant(deps: Deps, tenant: TenantRef, hours: number): Promise<TenantStats> {
  return (await overviewOfTenant(deps, tenant, hours)).stats;
}

/** Returns the same, with the health counts and what else the console's overview shows. */
export async function overviewOfTenant(
  deps: Deps,
  tenant: TenantRef,
  hours: number,
): Promise<{ stats: TenantStats; health: HealthCounts; attention: AttentionRow[] }> {
  const nowMs = deps.now();
  const fromMs = startOf(nowMs, hours);
  const all = await inEach(tenant, (place) => readTenantHours(deps, place, fromMs, nowMs));
  const sumOf = (count: (read: (typeof all)[number]) => number) => all.reduce((sum, read) => sum + count(read), 0);
  const counted = addHours(all.flatMap((read) => read.hours));
  const totals = summary(
    counted,
    fromMs,
    hours,
    sumOf((read) => read.pending),
  );
  // The subscriptions of the former database are copies of the present ones; what waits for them is not.
  const { failing = 0, disabled = 0 } = all[0]?.health ?? {};
  const [held, toSend] = [sumOf(({ health }) => health.held), sumOf(({ health }) => health.toSend)];
  const attention = all[0]?.attention ?? [];
  const stats = { ...totals, attention: attention.map(attentionView) };
  return { stats, health: { failing, disabled, held, toSend }, attention };
}

/** Adds up the counts of each hour, in which two databases may have attempts. */
function addHours(rows: readonly HourRow[]): HourRow[] {
  return [...Map.groupBy(rows, ({ hour }) => hour)]
    .map(([hour, ofHour]) => ({
      hour,
      succeeded: ofHour.reduce((sum, row) => sum + row.succeeded, 0),
      failed: ofHour.reduce((sum, row) => sum + row.failed, 0),
      histogramJson: JSON.stringify(addUp(ofHour.map(parseHistogram))),
    }))
    .sort((a, b) => a.hour - b.hour);
}

/** Returns the start of the first of the last `hours` hours, Unix ms. */
const startOf = (nowMs: number, hours: number) => hourOf(nowMs) - (hours - 1) * HOUR_MS;

const parseHistogram = (row: HourRow | undefined): Histogram =>
  row === undefined ? [] : (JSON.parse(row.histogramJson) as number[]);

function summary(rows: readonly HourRow[], fromMs: number, hours: number, pending: number): SubscriptionStats {
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  const parts = Array.from({ length: hours }, (_, index) => {
    const startMs = fromMs + index * HOUR_MS;
    return { startMs, row: byHour.get(startMs), histogram: parseHistogram(byHour.get(startMs)) };
  });
  const success = rows.reduce((sum, row) => sum + row.succeeded, 0);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  return {
    hours: parts.map(({ startMs, row, histogram }) => ({
      hour: iso(startMs),
      success: row?.succeeded ?? 0,
      failed: row?.failed ?? 0,
      ...percentiles(histogram),
    })),
    success,
    failed,
    ...percentiles(addUp(parts.map(({ histogram }) => histogram))),
    pending,
    total: success + failed + pending,
  };
}

const percentiles = (histogram: Histogram) => ({
  p50Ms: percentileMs(histogram, 0.5),
  p95Ms: percentileMs(histogram, 0.95),
});

function reasonOf(row: AttentionRow): TenantStats["attention"][number]["reason"] {
  if (row.failureCount > 0) return "failing";
  if (row.isThrottled) return "throttled";
  return row.slow ? "slow" : "paused";
}

const attentionView = (row: AttentionRow): TenantStats["attention"][number] => ({
  webhookId: row.id,
  name: row.name,
  reason: reasonOf(row),
  enabled: row.enabled === 1,
  failureCount: row.failureCount,
  ...(row.error === null ? {} : { error: row.error }),
});
