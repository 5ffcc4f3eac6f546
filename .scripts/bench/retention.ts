/** Publishing while the hourly job deletes a million old rows: the 99th percentile may at most double. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, createAccount, publishCall, subscribe, tenantOf } from "./account.ts";
import { createClient } from "./load.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { seedHistory } from "./seed.ts";
import { type Service, serve } from "./serve.ts";
import { median, percentile } from "./statistics.ts";

const TYPE = "Published";
const EVERY_HOUR = "17 * * * *";
const PUBLISHES_PER_SECOND = 100;
const CONNECTIONS = 64;
const ATTEMPTS = 900_000;
const DAY_MS = 86_400_000;
const OLD_MS = 40 * DAY_MS;
const ALONE_SECONDS = 10;
const MAX_RATIO = 2;

/** The ratio is that of the two 99th percentiles. */
export async function measureRetention(run: Run): Promise<Result[]> {
  const service = await serve(run.bundles, { deliver: false });
  const client = createClient(service.base, CONNECTIONS);
  const publisher = await createAccount(client);
  const [subscriptionId = ""] = await subscribe(publisher, TYPE, run.receiver.okUrl, 1);
  run.progress("retention: seeding a million old rows");
  await seedHistory(service.database, {
    tenantId: await tenantOf(publisher),
    subscriptionId,
    deliveries: run.scaled(ATTEMPTS),
    tag: "aaa",
    endMs: Date.now() - OLD_MS,
  });
  await publishUntil(publisher, sleep(3_000));
  const alone = await publishUntil(publisher, sleep(ALONE_SECONDS * 1000));
  run.progress("retention: deleting");
  const startMs = performance.now();
  const beside = await publishUntil(publisher, service.cron(EVERY_HOUR));
  const seconds = (performance.now() - startMs) / 1000;
  const left = await countOld(service);
  client.close();
  await service.stop();
  run.progress(`retention: ${seconds.toFixed(0)} s, ${left} old rows left`);
  return resultsOf(alone, { retention: beside });
}

/** The figures of publishing alone, and during the work of each name. */
export function resultsOf(alone: number[], beside: Readonly<Record<string, number[]>>): Result[] {
  const p99 = (list: number[]) => percentile(list, 0.99);
  const row = (operation: string, list: number[]): Result => ({
    operation,
    count: list.length,
    opsPerSecond: Number.NaN,
    p50Ms: median(list),
    p99Ms: p99(list),
  });
  const publishing = `publish, ${PUBLISHES_PER_SECOND}/s`;
  return [
    row(publishing, alone),
    ...Object.entries(beside).map(([work, list]) => {
      const ratio = p99(list) / p99(alone);
      return {
        ...row(`${publishing}, ${work} beside`, list),
        floor: "p99 without",
        ratio: { median: ratio, min: ratio, max: ratio },
        target: { atMost: MAX_RATIO },
      };
    }),
  ];
}

/** Milliseconds of each publish, evenly spaced until `end` has resolved. */
export async function publishUntil(publisher: Account, end: Promise<unknown>): Promise<number[]> {
  const latenciesMs: number[] = [];
  const underWay = new Set<Promise<void>>();
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const startMs = performance.now();
  for (let n = 0; !isOver; n += 1) {
    await sleep(Math.max(0, startMs + (n * 1000) / PUBLISHES_PER_SECOND - performance.now()));
    const publish: Promise<void> = timed(publisher, n)
      .then((ms) => void latenciesMs.push(ms))
      .finally(() => underWay.delete(publish));
    underWay.add(publish);
  }
  await Promise.all([...underWay, ended]);
  return latenciesMs;
}

async function timed(publisher: Account, n: number): Promise<number> {
  const sentMs = performance.now();
  const { status } = await publisher.client.send(publishCall(publisher, TYPE, n));
  if (status !== 202) throw new Error(`publish: ${status}`);
  return performance.now() - sentMs;
}

async function countOld({ database }: Service): Promise<number> {
  const counted = await database
    .prepare("SELECT (SELECT count(*) FROM attempts) + (SELECT count(*) FROM events WHERE type = 'History') AS count")
    .all<{ count: number }>();
  return counted.results[0]?.count ?? Number.NaN;
}
