/** The statement that updates `hourly_stats`. It runs in the transaction that updates the attempts, so the two always agree. */
import { type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../time";
import { BUCKET_STARTS_MS } from "./latency";

const bucketColumn = (bucket: number) => `latency_${bucket}`;
const bucketCount = (startMs: number, bucket: number) =>
  `count(*) FILTER (WHERE latency_ms >= ${startMs} AND latency_ms < ${BUCKET_STARTS_MS[bucket + 1] ?? "9e15"})`;

const BUCKET_COLUMNS = sql.raw(BUCKET_STARTS_MS.map((_, bucket) => bucketColumn(bucket)).join(", "));
const BUCKET_COUNTS = sql.raw(BUCKET_STARTS_MS.map(bucketCount).join(", "));
const ADD_BUCKETS = sql.raw(
  BUCKET_STARTS_MS.map(
    (_, bucket) => `${bucketColumn(bucket)} = ${bucketColumn(bucket)} + excluded.${bucketColumn(bucket)}`,
  ).join(", "),
);

/** Returns the number of failed attempts since the last success, as SQL. The newest row of a subscription has it. */
export const failureCountOf = (subscriptionId: SQL): SQL =>
  sql`coalesce((SELECT h.failure_count FROM hourly_stats h WHERE h.subscription_id = ${subscriptionId} ORDER BY h.hour DESC LIMIT 1), 0)`;

/**
 * Returns the statement that counts ended attempts in the hour of `nowMs`. It writes one row per subscription. `ended` selects
 * subscription_id, position (the order in which they ended), succeeded (0 or 1) and latency_ms (null if not measured).
 */
export const addToHours = (ended: SQL, nowMs: number): SQL => sql`
  INSERT INTO hourly_stats (subscription_id, hour, succeeded, failed, failure_count, ${BUCKET_COLUMNS})
  SELECT subscription_id, ${nowMs - (nowMs % HOUR_MS)}, sum(succeeded), sum(succeeded = 0),
    CASE WHEN sum(succeeded) > 0 THEN sum(position > last_success) ELSE count(*) + ${failureCountOf(sql`t.subscription_id`)} END,
    ${BUCKET_COUNTS}
  FROM (SELECT *, max(CASE WHEN succeeded THEN position END) OVER (PARTITION BY subscription_id) AS last_success FROM (${ended})) t
  WHERE true GROUP BY subscription_id
  ON CONFLICT (subscription_id, hour) DO UPDATE SET succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed,
    failure_count = excluded.failure_count, ${ADD_BUCKETS}`;
