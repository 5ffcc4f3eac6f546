/**
 * One scene of isolation: tenants whose receivers are slow publish a burst, and then the events of another tenant, and
 * of another subscription of the first slow tenant, are timed from 202 to arrival.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, payloadOf, publishCall, subscribe } from "./account.ts";
import { type Call, closedLoop } from "./load.ts";
import type { Receiver } from "./receiver.ts";
import { createPublisher } from "./steady.ts";

const EVENTS_PER_SECOND = 2;
const BURST_CONNECTIONS = 8;
const BATCH = 20;
const WIDE = 250;
const POLL_MS = 20;
/** Events of the slow tenant's other subscription have numbers from here on. */
const SAME_TENANT = 1_000_000;
const WARM_UP = 2_000_000;
const ALONE = 3_000_000;

export interface Burst {
  /** How long the receivers take. */
  answerMs: number;
  /** Over all slow tenants. */
  deliveries: number;
  tenants: number;
  /** "deep": one subscription each. "wide": 250. */
  shape: "deep" | "wide";
  /** "retries": every first attempt fails at once, and the second one is slow. */
  attempts: "first" | "retries";
}

/** Times are in ms from 202 to arrival; what has not arrived at the end of the scene counts as `Infinity`. */
export interface Isolation {
  aloneMs: number[];
  otherTenantMs: number[];
  sameTenantMs: number[];
  /** When the last delivery of the burst arrived, in seconds since it began; null if that was after the scene. */
  backlogSeconds: number | null;
  /** How many of the burst arrived, and in how many seconds. */
  arrived: number;
  seconds: number;
}

export interface Limits {
  /** The length of each of the two streams. */
  seconds: number;
  /** For how long to wait for the rest of the burst. */
  mostSeconds: number;
  /** Puts the rows of a new tenant, slow or not, where the scene wants them. */
  place?(account: Account, isSlow: boolean): Promise<void>;
}

export async function isolate(
  base: string,
  receiver: Receiver,
  burst: Burst,
  { seconds, mostSeconds, place = async () => {} }: Limits,
): Promise<Isolation> {
  const other = await createPublisher({ base });
  await place(other, false);
  await subscribe(other, "Narrow", receiver.okUrl, 1);
  const slow: Account[] = [];
  for (let made = 0; made < burst.tenants; made += 1) {
    const tenant = await createPublisher({ base });
    await place(tenant, true);
    const url = burst.attempts === "first" ? receiver.otherUrl(burst.answerMs) : receiver.againUrl(burst.answerMs);
    await subscribe(tenant, "Slow", url, burst.shape === "wide" ? WIDE : 1);
    slow.push(tenant);
  }
  const [first] = slow;
  if (first) await subscribe(first, "Same", receiver.okUrl, 1);
  receiver.clear();
  await timed(receiver, () => stream(other, "Narrow", WARM_UP, 2));
  const aloneMs = await timed(receiver, () => stream(other, "Narrow", ALONE, seconds));

  receiver.clear();
  const beganMs = performance.now();
  const ended = untilArrived(receiver, burst, beganMs + mostSeconds * 1000);
  const published = Promise.all(slow.map((tenant) => publishBurst(tenant, burst)));
  const sent = new Map<number, number>();
  const streams = [
    stream(other, "Narrow", 0, seconds),
    ...(first ? [stream(first, "Same", SAME_TENANT, seconds)] : []),
  ];
  for (const part of await Promise.all(streams)) for (const [n, atMs] of part) sent.set(n, atMs);
  await published;
  const endedMs = await ended;
  const lastMs = endedMs ?? performance.now();
  await sleep(200);
  const delays = delaysOf(receiver, sent);
  for (const account of [other, ...slow]) account.client.close();
  return {
    aloneMs,
    otherTenantMs: delays.filter(({ n }) => n < SAME_TENANT).map(({ ms }) => ms),
    sameTenantMs: delays.filter(({ n }) => n >= SAME_TENANT).map(({ ms }) => ms),
    backlogSeconds: endedMs === null ? null : (endedMs - beganMs) / 1000,
    arrived: receiver.others,
    seconds: (lastMs - beganMs) / 1000,
  };
}

/** Publishes an event every half second. Returns when each was accepted, by its number. */
async function stream(account: Account, type: string, from: number, seconds: number): Promise<Map<number, number>> {
  const startMs = performance.now();
  const accepted = new Map<number, number>();
  const publish = async (index: number) => {
    await sleep(Math.max(0, startMs + (index * 1000) / EVENTS_PER_SECOND - performance.now()));
    const answer = await account.client.send(publishCall(account, type, from + index));
    if (answer.status !== 202) throw new Error(`publish: ${answer.status} ${answer.text.slice(0, 300)}`);
    accepted.set(from + index, performance.timeOrigin + performance.now());
  };
  await Promise.all(Array.from({ length: seconds * EVENTS_PER_SECOND }, (_, index) => publish(index)));
  return accepted;
}

async function timed(receiver: Receiver, work: () => Promise<Map<number, number>>): Promise<number[]> {
  receiver.clear();
  const sent = await work();
  await receiver.waitFor(sent.size);
  return delaysOf(receiver, sent).map(({ ms }) => ms);
}

function delaysOf(receiver: Receiver, sent: ReadonlyMap<number, number>) {
  const arrivedAt = new Map(receiver.arrivals.map(({ n, atMs }) => [n, atMs]));
  return Array.from(sent, ([n, atMs]) => ({ n, ms: Math.max(0, (arrivedAt.get(n) ?? Infinity) - atMs) }));
}

async function publishBurst(account: Account, { deliveries, tenants, shape }: Burst): Promise<void> {
  const { headers } = account;
  const each = shape === "wide" ? 1 : BATCH;
  const count = Math.ceil(deliveries / tenants / (shape === "wide" ? WIDE : BATCH));
  const call = (n: number): Call => {
    const events = Array.from({ length: each }, (_, index) => ({ type: "Slow", payload: payloadOf(n * each + index) }));
    return { method: "POST", path: "/api/v1/events/batch", headers, body: { events } };
  };
  const operation = { name: "publish the burst", client: account.client, status: 202, call };
  await closedLoop(operation, { from: 0, count, concurrency: Math.min(count, BURST_CONNECTIONS) });
}

/** Resolves with the time of the last arrival of the burst; null if it comes after `endMs`. */
async function untilArrived(receiver: Receiver, { deliveries }: Burst, endMs: number): Promise<number | null> {
  while (receiver.others < deliveries) {
    if (performance.now() > endMs) return null;
    await sleep(POLL_MS);
  }
  return performance.now();
}
