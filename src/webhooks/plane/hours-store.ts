/**
 * The statement that updates `hourly_stats`. It runs in the transaction that updates the attempts, so the two always
 * agree.
 */
import { type SQL, sql } from "drizzle-orm";
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

const BUCKET_VALUES = sql.raw(BUCKET_STARTS_MS.map((_, bucket) => `value ->> ${bucket + 2}`).join(", "));

/**
 * Returns the number of failed attempts since the last success, as SQL. It is in the newest row of the subscription.
 */
export const failureCountOf = (subscriptionId: SQL): SQL =>
  sql`coalesce((SELECT h.failure_count FROM hourly_stats h WHERE h.subscription_id = ${subscriptionId}
    ORDER BY h.hour DESC LIMIT 1), 0)`;

/** A condition on `h` that selects the newest row of a subscription, as SQL. */
export const isNewestHour = (subscriptionId: SQL): SQL =>
  sql`h.subscription_id = ${subscriptionId}
    AND h.hour = (SELECT max(hour) FROM hourly_stats WHERE subscription_id = ${subscriptionId})`;

const sumOfBuckets = (isWanted: (startMs: number) => boolean) =>
  BUCKET_STARTS_MS.flatMap((startMs, bucket) => (isWanted(startMs) ? [`h.${bucketColumn(bucket)}`] : [])).join(" + ");

/**
 * Returns SQL for whether most of a subscription's answers in its newest hour took less than `limitMs`, which must be
 * the start of a bucket. False without any answer.
 */
export const answersWithin = (subscriptionId: SQL, limitMs: (typeof BUCKET_STARTS_MS)[number]): SQL =>
  sql`EXISTS (SELECT 1 FROM hourly_stats h WHERE ${isNewestHour(subscriptionId)}
    AND ${sql.raw(sumOfBuckets((startMs) => startMs < limitMs))} >
    ${sql.raw(sumOfBuckets((startMs) => startMs >= limitMs))})`;

/**
 * Returns the statement that counts ended attempts in the hour that began at `hour` (Unix ms). It writes one row per
 * subscription. `ended` selects subscription_id, position (the order in which they ended), succeeded (0 or 1),
 * latency_ms (null if not measured), and failed_at: when the attempt started, if its request was sent and failed
 * (otherwise null).
 */
export const addToHours = (ended: SQL, hour: SQL | number): SQL => sql`
  INSERT INTO hourly_stats (subscription_id, hour, succeeded, failed, failure_count, failing_since, sent_failures,
    ${BUCKET_COLUMNS})
  SELECT t.subscription_id, ${hour}, sum(t.succeeded), sum(t.succeeded = 0),
    CASE WHEN sum(t.succeeded) > 0 THEN sum(position > last_success) ELSE count(*) + coalesce(h.failure_count, 0) END,
    CASE WHEN sum(t.succeeded) > 0 THEN min(t.failed_at) FILTER (WHERE position > last_success)
      WHEN h.sent_failures > 0 THEN h.failing_since ELSE coalesce(min(t.failed_at), h.failing_since) END,
    CASE WHEN sum(t.succeeded) > 0 THEN count(t.failed_at) FILTER (WHERE position > last_success)
      ELSE count(t.failed_at) + coalesce(h.sent_failures, 0) END,
    ${BUCKET_COUNTS}
  FROM (SELECT *, max(CASE WHEN succeeded THEN position END) OVER (PARTITION BY subscription_id) AS last_success
    FROM (${ended})) t
  LEFT JOIN hourly_stats h ON ${isNewestHour(sql`t.subscription_id`)}
  WHERE true GROUP BY t.subscription_id
  ON CONFLICT (subscription_id, hour) DO UPDATE SET succeeded = succeeded + excluded.succeeded, failed = failed +
    excluded.failed,
    failure_count = excluded.failure_count, failing_since = excluded.failing_since, sent_failures =
      excluded.sent_failures, ${ADD_BUCKETS}`;

/**
 * The same for attempts that have all succeeded, of `hours`: a JSON list with an array for each subscription, of its
 * id, their number, and how many are in each bucket. Fails unless `condition` holds.
 */
export const addSuccesses = (hours: SQL, hour: SQL, condition: SQL): SQL => sql`
  INSERT INTO hourly_stats (subscription_id, hour, succeeded, ${BUCKET_COLUMNS})
  SELECT value ->> 0, ${hour}, iif(${condition}, value ->> 1, NULL), ${BUCKET_VALUES} FROM json_each(${hours})
  WHERE true
  ON CONFLICT (subscription_id, hour) DO UPDATE SET succeeded = succeeded + excluded.succeeded, failure_count = 0,
    failing_since = NULL, sent_failures = 0, ${ADD_BUCKETS}`;
