/**
 * Publishing while the upkeep deletes 100,000 old rows: the 99th percentile may at most double. Events are delivered
 * meanwhile: the cron that starts the upkeep starts the sweep too, which would queue again what nobody consumes.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, createAccount, publishCall, subscribe, tenantOf } from "./account.ts";
import { createClient } from "./load.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { idStartAt, seedHistory } from "./seed.ts";
import { type Service, serve } from "./serve.ts";
import { median, percentile } from "./statistics.ts";

const TYPE = "Published";
const EVERY_HOUR = "17 * * * *";
/** Fewer on a machine that could hardly take them: a queue that only grows would hide what the work beside it costs. */
const MOST_PUBLISHES_PER_SECOND = 100;
const SHARE_OF_CAPACITY = 1 / 3;
const CAPACITY_SECONDS = 8;
const CAPACITY_CONNECTIONS = 8;
const CONNECTIONS = 64;
const ATTEMPTS = 90_000;
const DAY_MS = 86_400_000;
const OLD_DAYS = 40;
const ALONE_SECONDS = 20;
const MAX_RATIO = 2;
const POLL_MS = 500;

/** The ratio is that of the two 99th percentiles. */
export async function measureRetention(run: Run): Promise<Result[]> {
  const service = await serve(run.bundles, { worker: "counted", isInMemory: true });
  const client = createClient(service.base, CONNECTIONS);
  const publisher = await createAccount(client);
  const [subscriptionId = ""] = await subscribe(publisher, TYPE, run.receiver.okUrl, 1);
  run.progress("retention: seeding 100,000 old rows");
  await seedHistory(service.database, {
    tenantId: await tenantOf(publisher),
    subscriptionId,
    deliveries: run.scaled(ATTEMPTS),
    tag: "aaa",
    endMs: Date.now() - OLD_DAYS * DAY_MS,
  });
  const perSecond = await sustainableRate(publisher);
  const before = await publishAlone(publisher, perSecond);
  run.progress("retention: deleting");
  const startMs = performance.now();
  const beside = await publishUntil(
    publisher,
    perSecond,
    upkeepUntil(service, EVERY_HOUR, () => isAnyOld(service)),
  );
  const seconds = (performance.now() - startMs) / 1000;
  const alone = [...before, ...(await publishAlone(publisher, perSecond))];
  client.close();
  await service.stop();
  run.progress(`retention: all old rows deleted in ${seconds.toFixed(0)} s`);
  return resultsOf(perSecond, alone, { retention: beside });
}

/**
 * Publishes a second for the scenes beside upkeep: a share of what the machine can do. Measuring it also pays for
 * writing the seeded rows into the database file.
 */
export async function sustainableRate(publisher: Account): Promise<number> {
  const endMs = performance.now() + CAPACITY_SECONDS * 1000;
  let published = 0;
  const publishOn = async () => {
    for (; performance.now() < endMs; published += 1) await timed(publisher, published);
  };
  await Promise.all(Array.from({ length: CAPACITY_CONNECTIONS }, publishOn));
  return Math.min(MOST_PUBLISHES_PER_SECOND, Math.round((published / CAPACITY_SECONDS) * SHARE_OF_CAPACITY));
}

/** The figures of publishing alone, and during the work of each name. */
export function resultsOf(perSecond: number, alone: number[], beside: Readonly<Record<string, number[]>>): Result[] {
  const p99 = (list: number[]) => percentile(list, 0.99);
  const row = (operation: string, list: number[]): Result => ({
    operation,
    count: list.length,
    opsPerSecond: Number.NaN,
    p50Ms: median(list),
    p99Ms: p99(list),
  });
  const publishing = `publish, ${perSecond}/s`;
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

/**
 * Half of what is compared with. It is measured before the work and after it, because the local runtime stops for
 * longer to collect garbage the longer it has run.
 */
export const publishAlone = (publisher: Account, perSecond: number): Promise<number[]> =>
  publishUntil(publisher, perSecond, sleep(ALONE_SECONDS * 1000));

/** Milliseconds of each publish, evenly spaced until `end` has resolved. */
export async function publishUntil(publisher: Account, perSecond: number, end: Promise<unknown>): Promise<number[]> {
  const latenciesMs: number[] = [];
  const underWay = new Set<Promise<void>>();
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const startMs = performance.now();
  for (let n = 0; !isOver; n += 1) {
    await sleep(Math.max(0, startMs + (n * 1000) / perSecond - performance.now()));
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

/** Fires a cron trigger, and resolves when the work that it has started is done: when `isLeft` says so. */
export async function upkeepUntil(service: Service, cron: string, isLeft: () => Promise<boolean>): Promise<void> {
  await service.cron(cron);
  while (await isLeft()) await sleep(POLL_MS);
}

async function isAnyOld({ database }: Service): Promise<boolean> {
  const found = await database
    .prepare(`SELECT EXISTS (SELECT 1 FROM subscriptions s CROSS JOIN attempts a ON a.subscription_id = s.id
      AND a.id < ?1)
      OR EXISTS (SELECT 1 FROM events WHERE id < ?1) AS found`)
    .bind(idStartAt(Date.now() - (OLD_DAYS - 1) * DAY_MS))
    .all<{ found: 0 | 1 }>();
  return found.results[0]?.found === 1;
}
