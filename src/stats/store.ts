/** Reading the hourly counts: always one range of the key, however many attempts they stand for. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import type { Deps } from "../deps";
import { BUCKET_STARTS_MS } from "./latency";
import type { AttemptCounts } from "./schemas";

const MAX_ATTENTION = 20;
/** Attempts newer than the last failed one: those under way, and what other sends have ended meanwhile. */
const MAX_NEWER_ATTEMPTS = 500;

/** One hour's counts; `histogramJson` holds the attempts per latency bucket. */
export interface HourRow {
  /** Its start, Unix ms. */
  hour: number;
  pending: number;
  succeeded: number;
  failed: number;
  histogramJson: string;
}

const HISTOGRAM = sql.raw(`json_array(${BUCKET_STARTS_MS.map((_, bucket) => `latency_${bucket}`).join(", ")})`);

/** Of the tenant as a whole when `subscriptionId` is "". */
export const hoursSql = (tenantId: string, subscriptionId: string, fromMs: number): SQL => sql`
  SELECT hour, pending, succeeded, failed, ${HISTOGRAM} AS histogramJson FROM hourly_stats
  WHERE tenant_id = ${tenantId} AND subscription_id = ${subscriptionId} AND hour >= ${fromMs} ORDER BY hour`;

/** The hours of one subscription; undefined when the tenant has no such subscription. */
export async function readSubscriptionHours(
  { db }: Deps,
  tenantId: string,
  subscriptionId: string,
  fromMs: number,
): Promise<{ pending: number; hours: HourRow[] } | undefined> {
  const [found, hours] = await atomically(db, [
    sql`SELECT pending_attempts AS pending FROM subscriptions
      WHERE id = ${subscriptionId} AND tenant_id = ${tenantId} AND is_deleted = 0`,
    hoursSql(tenantId, subscriptionId, fromMs),
  ]);
  const [subscription] = found as { pending: number }[];
  return subscription && { pending: subscription.pending, hours: hours as HourRow[] };
}

/** A subscription that fails, is slow or is paused. */
export interface AttentionRow {
  id: string;
  name: string;
  enabled: 0 | 1;
  failureCount: number;
  slow: 0 | 1;
  error: string | null;
}

/** The hours of the whole tenant, and the subscriptions that need attention, the worst first. */
export async function readTenantHours(
  { db }: Deps,
  tenantId: string,
  fromMs: number,
  nowMs: number,
): Promise<{ hours: HourRow[]; attention: AttentionRow[] }> {
  const [hours, attention] = await atomically(db, [
    hoursSql(tenantId, "", fromMs),
    sql`SELECT id, name, enabled, failure_count AS failureCount, slow_until > ${nowMs} AS slow,
        CASE WHEN failure_count > 0 THEN (SELECT error FROM (SELECT status, error FROM attempts
          WHERE subscription_id = s.id ORDER BY attempts.id DESC LIMIT ${MAX_NEWER_ATTEMPTS}) WHERE status = 'failed' LIMIT 1) END AS error
      FROM subscriptions s INDEXED BY subscriptions_to_watch
      WHERE tenant_id = ${tenantId} AND is_deleted = 0 AND (failure_count > 0 OR slow_until > 0 OR enabled = 0)
        AND (failure_count > 0 OR slow_until > ${nowMs} OR enabled = 0)
      ORDER BY failure_count DESC, slow_until DESC LIMIT ${MAX_ATTENTION}`,
  ]);
  return { hours: hours as HourRow[], attention: attention as AttentionRow[] };
}

/** Counts of the delivery log, from the counters that are kept with it; undefined when the tenant has no such subscription. */
export async function countAttempts({ db }: Deps, tenantId: string, id: string): Promise<AttemptCounts | undefined> {
  const [rows] = await atomically(db, [
    sql`SELECT succeeded_attempts + failed_attempts + pending_attempts AS total, succeeded_attempts AS success,
      failed_attempts AS failed, pending_attempts AS pending FROM subscriptions
      WHERE id = ${id} AND tenant_id = ${tenantId} AND is_deleted = 0`,
  ]);
  return rows?.[0] as AttemptCounts | undefined;
}
