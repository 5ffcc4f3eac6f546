/**
 * Deliveries per second from end to end, with all rows, compared with a queue that only posts the same bodies to the
 * same receiver.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, ask, createAccount, payloadOf, publishCall, subscribe } from "./account.ts";
import { DELIVERY } from "./counting.ts";
import type { Database } from "./database.ts";
import { ratioOf } from "./interleave.ts";
import { type Call, type Client, createClient, type Sample } from "./load.ts";
import { emptyOutbox } from "./outbox.ts";
import type { Receiver } from "./receiver.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import type { Service } from "./serve.ts";
import { median } from "./statistics.ts";
import { verdict } from "./table.ts";

const WIDTH = 100;
/** How many events may be accepted and not yet delivered. More would measure the broker's memory. */
const MAX_OPEN = 2_000;
const POLL_MS = 5;
const MEMORY_INTERVAL_MS = 1_000;
const TYPE = "Delivered";
const LEAST_OF_FLOOR = 0.6;
const MAX_MEMORY_GROWTH = 1.2;
const MEMORY_POINTS = 30;

/** The row of the table, and the resident memory of workerd in MiB, read once a second. */
export interface Throughput {
  result: Result;
  memoryMiB: number[];
}

/** About `deliveries` of the engine and as many of the floor, taking turns. */
export async function measureThroughput(run: Run, service: Service, deliveries: number): Promise<Throughput> {
  const { receiver, rounds, concurrency } = run;
  const events = Math.max(1, Math.round(deliveries / rounds / WIDTH));
  const client = createClient(service.base, concurrency);
  const floorClient = createClient(service.floorBase, concurrency);
  const publisher = await createAccount(client);
  await subscribe(publisher, TYPE, receiver.okUrl, WIDTH);
  const engine: Sample[] = [];
  const floor: Sample[] = [];
  const memoryMiB: number[] = [];
  const timer = setInterval(() => memoryMiB.push(Math.round(service.memoryMiB())), MEMORY_INTERVAL_MS);
  for (let round = 0; round <= rounds; round += 1) {
    const count = round === 0 ? Math.ceil(events / 5) : events;
    const floorRate = await floorRound(floorClient, receiver, count, concurrency);
    const rate = await engineRound(publisher, receiver, service.database, count, concurrency);
    if (round === 0) continue;
    floor.push({ opsPerSecond: floorRate, latenciesMs: [] });
    engine.push({ opsPerSecond: rate, latenciesMs: [] });
    run.progress(
      `deliveries: ${rate.toFixed(0)}/s, floor ${floorRate.toFixed(0)}/s, workerd ${memoryMiB.at(-1) ?? "?"} MiB`,
    );
  }
  clearInterval(timer);
  client.close();
  floorClient.close();
  const result: Result = {
    operation: DELIVERY,
    count: events * WIDTH * rounds,
    opsPerSecond: median(engine.map(({ opsPerSecond }) => opsPerSecond)),
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    floor: `queue -> fetch -> ack (${median(floor.map(({ opsPerSecond }) => opsPerSecond)).toFixed(0)}/s)`,
    ratio: ratioOf(engine, floor),
    target: { atLeast: LEAST_OF_FLOOR },
  };
  return { result, memoryMiB };
}

/** Deliveries per second of one round of the floor: to the last arrival. */
function floorRound(client: Client, receiver: Receiver, events: number, concurrency: number): Promise<number> {
  const urls = Array.from({ length: WIDTH }, (_, index) => `${receiver.okUrl}/floor/${index}`);
  const call = (n: number): Call => ({ method: "POST", path: "/queue", body: { urls, body: payloadOf(n) } });
  return timed(receiver, events, () => sendAll(client, receiver, call, events, concurrency));
}

/** Deliveries per second of one round of the engine: to the last row. */
function engineRound(
  publisher: Account,
  receiver: Receiver,
  database: Database,
  events: number,
  concurrency: number,
): Promise<number> {
  const call = (n: number) => publishCall(publisher, TYPE, n);
  return timed(receiver, events, async () => {
    await sendAll(publisher.client, receiver, call, events, concurrency);
    await emptyOutbox(database);
  });
}

async function timed(receiver: Receiver, events: number, work: () => Promise<void>): Promise<number> {
  receiver.clear();
  const startMs = performance.now();
  await work();
  return (events * WIDTH) / ((performance.now() - startMs) / 1000);
}

/** Sends all events, with a bounded number of deliveries open, and waits for the last arrival. */
async function sendAll(
  client: Client,
  receiver: Receiver,
  call: (n: number) => Call,
  events: number,
  concurrency: number,
): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < events) {
      if ((next + 1) * WIDTH - receiver.arrivals.length > MAX_OPEN) {
        await sleep(POLL_MS);
        continue;
      }
      await ask(client, call(next++));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  await receiver.waitFor(events * WIDTH);
}

/** Whether workerd's memory stayed the same: compares the last quarter of the run with the second. */
export function memoryVerdict(memoryMiB: readonly number[]): string {
  const quarter = Math.ceil(memoryMiB.length / 4);
  const early = median(memoryMiB.slice(quarter, 2 * quarter));
  const late = median(memoryMiB.slice(-quarter));
  const every = Math.max(1, Math.floor(memoryMiB.length / MEMORY_POINTS));
  const points = memoryMiB.filter((_, index) => index % every === 0);
  const growth = late / early;
  return (
    `workerd MiB over time: ${points.join(" ")}; last quarter ${growth.toFixed(2)} times the second (<= ` +
    `${MAX_MEMORY_GROWTH} ${verdict(growth <= MAX_MEMORY_GROWTH)})`
  );
}
