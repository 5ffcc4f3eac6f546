/**
 * Collects the samples of `/metrics` from D1, the Durable Objects and the queues, all in parallel. A database that is
 * down does not hide the others.
 */
import { hasSignOn } from "../../base/config/sign-on-settings";
import { COUNTED, type Counts, totalCounts } from "../../base/counts";
import { MAX_SHARD_BYTES } from "../../base/db/shard-sizes-store";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { inTime, lastFullHour } from "../../base/time";
import { BUCKET_STARTS_MS } from "../../webhooks/plane/latency";
import { type QueueBacklog, readQueues } from "./queues";
import { readSignOn } from "./sign-on-store";
import { readControlPlane, readDeliveryPlane, type Totals } from "./store";
import { type MetricSample, sample } from "./text";
import { countAtOnce } from "./totals";

/** Prometheus waits for 10 s by default. */
const MAX_READ_MS = 5_000;
/** With this many subscriptions or more, the counts of the hourly cron are shown. */
const MAX_SUBSCRIPTIONS = 150;
/** How long a page counts what the cron has not counted yet. */
const MAX_COUNT_MS = 2_000;

/** Collects all samples. Never throws. */
export async function collect(deps: Deps): Promise<MetricSample[]> {
  const nowMs = deps.now();
  const [counts, cronAt, control, signOn, queues, shards] = await Promise.all([
    orNull(0, () => totalCounts(deps).counts()),
    orNull(0, () => deps.sweepers.get(deps.sweepers.idFromName("upkeep:0")).begunAt()),
    orNull(0, () => readControlPlane(deps, lastFullHour(nowMs))),
    hasSignOn(deps.config) ? orNull(0, () => readSignOn(deps, nowMs)) : null,
    readQueues(deps),
    Promise.all(
      deps.shards.numbers.map(async (shard) => ({
        shard,
        plane: await orNull(shard, () =>
          readDeliveryPlane(deps.shards.db(shard), lastFullHour(nowMs), MAX_SUBSCRIPTIONS, nowMs),
        ),
      })),
    ),
  ]);
  const isBound = ({ shard }: { shard: number }) => deps.shards.numbers.includes(shard);
  const known = new Map(control?.shards.filter(isBound).map((one) => [one.shard, one]));
  const uncounted = shards.filter(
    ({ shard, plane }) => (plane?.page.rows ?? 0) >= MAX_SUBSCRIPTIONS && !known.get(shard)?.totals,
  );
  const isOver = () => deps.now() >= nowMs + MAX_COUNT_MS;
  const counted = new Map(
    await Promise.all(
      uncounted.map(async ({ shard }) => [shard, await orNull(shard, () => countAtOnce(deps, shard, isOver))] as const),
    ),
  );
  return [
    ...(counts ? countSamples(counts) : []),
    ...[...known.values()].flatMap(({ shard, bytes }) => [
      ...sample("postern_shard_used_bytes", { shard }, bytes),
      ...sample("postern_shard_used_ratio", { shard }, bytes / MAX_SHARD_BYTES),
    ]),
    ...shards.flatMap(({ shard, plane }) => [
      ...sample("postern_shard_up", { shard }, plane ? 1 : 0),
      ...(plane ? samplesOf(shard, plane, known.get(shard)?.totals ?? counted.get(shard) ?? null, nowMs) : []),
    ]),
    ...sample("postern_cron_age_seconds", {}, cronAt === null ? null : (nowMs - cronAt) / 1000),
    ...queues.flatMap((queue) => queueSamples(queue, nowMs)),
    ...(control
      ? (["deliveries", "mail"] as const).flatMap((queue) =>
          sample("postern_dead_letters", { queue }, control.dead.find((one) => one.queue === queue)?.messages ?? 0),
        )
      : []),
    ...(signOn
      ? [
          ...signOn.connections.flatMap(({ kind, state, connections }) =>
            sample("postern_connections", { kind, state }, connections),
          ),
          ...signOn.records.flatMap(({ state, records }) => sample("postern_directory_records", { state }, records)),
          ...sample("postern_sign_on_refused_last_hour", {}, signOn.refused),
        ]
      : []),
  ];
}

/** Logs the failure and returns null when a database fails or does not answer in time. */
async function orNull<T>(shard: number, read: () => Promise<T>): Promise<T | null> {
  try {
    return await inTime(MAX_READ_MS, read());
  } catch (error) {
    log("error", "delivery database not read", { shard, ...describeError(error) });
    return null;
  }
}

function samplesOf(
  shard: number,
  { open, page }: Awaited<ReturnType<typeof readDeliveryPlane>>,
  noted: Totals | null,
  nowMs: number,
): MetricSample[] {
  const { due, leased, backlog, held, oldestDueAt, fanOuts } = open;
  const totals = page.rows < MAX_SUBSCRIPTIONS ? { hour: lastFullHour(nowMs), ...page } : noted;
  return [
    ...Object.entries({ due, leased, backlog, held }).flatMap(([state, count]) =>
      sample("postern_deliveries_open", { shard, state }, count),
    ),
    ...sample("postern_oldest_due_seconds", { shard }, oldestDueAt === null ? 0 : (nowMs - oldestDueAt) / 1000),
    ...sample("postern_events_waiting_fan_out", { shard }, fanOuts),
    ...(totals ? totalSamples(shard, totals) : []),
  ];
}

function totalSamples(shard: number, totals: Totals): MetricSample[] {
  const { healthy, failing, slow, disabled, paused, succeeded, failed, histogram, hour } = totals;
  const within = histogram.map((_, bucket) => histogram.slice(0, bucket + 1).reduce((sum, count) => sum + count, 0));
  return [
    ...Object.entries({ healthy, failing, slow, disabled, paused }).flatMap(([state, count]) =>
      sample("postern_subscriptions", { shard, state }, count),
    ),
    ...Object.entries({ success: succeeded, failed }).flatMap(([result, count]) =>
      sample("postern_attempts", { shard, result }, count),
    ),
    ...within.flatMap((count, bucket) => {
      const endMs = BUCKET_STARTS_MS[bucket + 1];
      return sample("postern_attempts_within", { shard, seconds: endMs === undefined ? "+Inf" : endMs / 1000 }, count);
    }),
    ...sample("postern_attempts_hour_timestamp_seconds", { shard }, hour / 1000),
  ];
}

/** What has not happened yet counts 0, so that the first time shows as an increase. */
const countSamples = (counts: Counts): MetricSample[] => [
  ...COUNTED.requests.flatMap((status) =>
    sample("postern_requests_total", { status }, counts[`requests.${status}`] ?? 0),
  ),
  ...COUNTED.logins.flatMap((result) => sample("postern_logins_total", { result }, counts[`logins.${result}`] ?? 0)),
  ...COUNTED.mails.flatMap((result) => sample("postern_mails_total", { result }, counts[`mails.${result}`] ?? 0)),
];

const queueSamples = ({ name: queue, messages, oldestAtMs }: QueueBacklog, nowMs: number): MetricSample[] => [
  ...sample("postern_queue_backlog", { queue }, messages),
  ...sample("postern_queue_oldest_seconds", { queue }, oldestAtMs === null ? null : (nowMs - oldestAtMs) / 1000),
];
