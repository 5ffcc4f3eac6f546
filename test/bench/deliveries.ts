/** Deliveries per second from end to end, rows written, against a queue that only posts the same bodies to the same receiver. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, ask, createAccount, payloadOf, publishCall, subscribe } from "./account.ts";
import { type Call, type Client, createClient } from "./load.ts";
import type { Receiver } from "./receiver.ts";
import type { Database, Service } from "./serve.ts";
import { type Ratio, ratioOf } from "./interleave.ts";

const WIDTH = 100;
/** Accepted and not yet delivered: more would measure the broker's memory. */
const MAX_OPEN = 2_000;
const POLL_MS = 5;
const MEMORY_INTERVAL_MS = 1_000;
const TYPE = "Delivered";

export interface Throughput {
  deliveries: number;
  perSecond: number;
  floorPerSecond: number;
  ratio: Ratio;
  /** Resident memory of workerd, once a second. */
  memoryMiB: number[];
}

export interface ThroughputOptions {
  service: Service;
  receiver: Receiver;
  deliveries: number;
  rounds: number;
  concurrency: number;
  onRound(text: string): void;
}

export async function measureThroughput(options: ThroughputOptions): Promise<Throughput> {
  const { service, receiver, rounds, concurrency } = options;
  const events = Math.max(1, Math.round(options.deliveries / rounds / WIDTH));
  const client = createClient(service.base, concurrency);
  const floorClient = createClient(service.floorBase, concurrency);
  const publisher = await createAccount(client);
  await subscribe(publisher, TYPE, receiver.okUrl, WIDTH);
  const measured: number[] = [];
  const floor: number[] = [];
  const memoryMiB: number[] = [];
  const timer = setInterval(() => memoryMiB.push(Math.round(service.memoryMiB())), MEMORY_INTERVAL_MS);
  for (let round = 0; round <= rounds; round += 1) {
    const count = round === 0 ? Math.ceil(events / 5) : events;
    const floorRate = await floorRound(floorClient, receiver, count, concurrency);
    const rate = await engineRound(publisher, receiver, service.database, count, concurrency);
    if (round === 0) continue;
    floor.push(floorRate);
    measured.push(rate);
    options.onRound(`${rate.toFixed(0)}/s, floor ${floorRate.toFixed(0)}/s, ${memoryMiB.at(-1) ?? "?"} MiB`);
  }
  clearInterval(timer);
  client.close();
  floorClient.close();
  const samples = (rates: number[]) => rates.map((opsPerSecond) => ({ opsPerSecond, latenciesMs: [] }));
  return {
    deliveries: events * WIDTH * rounds,
    perSecond: total(measured),
    floorPerSecond: total(floor),
    ratio: ratioOf(samples(measured), samples(floor)),
    memoryMiB,
  };
}

/** The mean rate of rounds of equal size. */
const total = (rates: number[]) => rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);

/** Deliveries per second of one round of the floor: to the last arrival. */
function floorRound(client: Client, receiver: Receiver, events: number, concurrency: number): Promise<number> {
  const urls = Array.from({ length: WIDTH }, (_, index) => `${receiver.okUrl}/floor/${index}`);
  const call = (n: number): Call => ({ method: "POST", path: "/queue", body: { urls, body: payloadOf(n) } });
  return timed(receiver, events, () => sendAll(client, receiver, call, events, concurrency));
}

/** The same of the engine: to the last row. */
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
    const open = database.prepare("SELECT 1 FROM deliveries WHERE sweep_at IS NOT NULL LIMIT 1");
    while ((await open.all()).results.length > 0) await sleep(POLL_MS);
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
