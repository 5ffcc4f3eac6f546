/**
 * The statements that keep `hourly_stats`; they run in the transaction that writes the attempts themselves, so that neither
 * is ever ahead. Work across tenants: each attempt names its own.
 */
import { type SQL, sql } from "drizzle-orm";
import { BUCKET_STARTS_MS } from "./latency";

/** An attempt's hour, by the `attempted_at` of its claim. */
const HOUR = sql.raw("attempted_at - attempted_at % 3600000");
const KEY = sql.raw("tenant_id, subscription_id, hour");
const BUCKETS = BUCKET_STARTS_MS.map((startMs, bucket) => ({
  name: `latency_${bucket}`,
  within: `latency_ms >= ${startMs} AND latency_ms < ${BUCKET_STARTS_MS[bucket + 1] ?? "9e15"}`,
}));
const COUNTS = ["pending", "succeeded", "failed", ...BUCKETS.map(({ name }) => name)];
const ADD_UP = sql.raw(COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", "));

/** Counts attempts that begin (`pending` 1) or vanish (-1). `attempts` selects tenant_id, attempted_at and pending. */
export const countPending = (attempts: SQL) => sql`
  INSERT INTO hourly_stats (${KEY}, pending)
  SELECT tenant_id, '', ${HOUR}, sum(pending) FROM (${attempts}) GROUP BY 1, 3
  ON CONFLICT (${KEY}) DO UPDATE SET pending = pending + excluded.pending`;

/**
 * Counts attempts that end, for their subscription and for their tenant. `attempts` selects tenant_id, subscription_id,
 * attempted_at as the claim wrote it, succeeded (0 or 1), and latency_ms (null: nothing was sent, or nobody knows).
 */
export const countEnded = (attempts: SQL) => sql`
  INSERT INTO hourly_stats (${KEY}, ${sql.raw(COUNTS.join(", "))})
  SELECT tenant_id, iif(whole.value, '', subscription_id), ${HOUR}, -sum(whole.value), sum(succeeded), sum(succeeded = 0),
    ${sql.raw(BUCKETS.map(({ within }) => `count(*) FILTER (WHERE ${within})`).join(", "))}
  FROM (${attempts}) CROSS JOIN json_each('[0, 1]') whole GROUP BY 1, 2, 3
  ON CONFLICT (${KEY}) DO UPDATE SET ${ADD_UP}`;
