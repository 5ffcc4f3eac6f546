/** Counts and latency per hour, for one subscription and for the whole tenant. */
import type { Deps } from "../../platform/deps";
import { notFound } from "../../platform/errors";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { HOUR_MS } from "../../platform/time";
import { addUp, type Histogram, percentileMs } from "./latency";
import type { SubscriptionStats, TenantStats } from "./schemas";
import { type AttentionRow, type HealthCounts, type HourRow, readSubscriptionHours, readTenantHours } from "./store";

/** Returns the last `hours` hours of one subscription, the current one included. Throws NOT_FOUND. */
export async function statsOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  hours: number,
): Promise<SubscriptionStats> {
  const fromMs = startOf(deps.now(), hours);
  const found = await readSubscriptionHours(deps, tenant, id, fromMs);
  if (!found) throw notFound("Webhook");
  return summary(found.hours, fromMs, hours, found.pending);
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
  const found = await readTenantHours(deps, tenant, fromMs, nowMs);
  const attention = found.attention.map(attentionView);
  const stats = { ...summary(found.hours, fromMs, hours, found.pending), attention };
  return { stats, health: found.health, attention: found.attention };
}

/** Returns the start of the first of the last `hours` hours, Unix ms. */
const startOf = (nowMs: number, hours: number) => nowMs - (nowMs % HOUR_MS) - (hours - 1) * HOUR_MS;

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
      hour: new Date(startMs).toISOString(),
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
