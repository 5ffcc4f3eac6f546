/** The scenes of the fairness run. In each, a stream of events to healthy subscribers runs alone and then beside something that disturbs it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, ask, publishCall, subscribe, tenantOf } from "./account.ts";
import type { Bundles } from "./build.ts";
import type { Receiver } from "./receiver.ts";
import { seedBacklog } from "./seed.ts";
import { type Service, serve } from "./serve.ts";
import { createPublisher, streamEvents, subscribeMixed } from "./steady.ts";

const TYPE = "Streamed";
/** Of the streams: well below what the engine can do, or the queue is what is measured. */
const EVENTS_PER_SECOND = 20;
const HEALTHY = 5;
const WARM_UP_SECONDS = 3;
const POLL_MS = 50;
/** How long what disturbs has run before the stream begins. */
const LEAD_MS = 2_000;
const WIDE = 10_000;
const SLOW = 1_000;
const SLOW_ANSWER_MS = 3_000;
const BACKLOG = 100_000;
const WAIT_SECONDS = 15;
/** Claim, mark as slow, record, postpone, statistics. */
const MAX_ROWS_PER_SEND = 6;

export interface Setting {
  bundles: Bundles;
  receiver: Receiver;
  /** The length of each stream. */
  seconds: number;
  rounds: number;
  progress(text: string): void;
}

/** Latencies of the healthy ones from 202 to arrival. */
interface Comparison {
  aloneMs: number[];
  besideMs: number[];
  /** What else the scene asks for. */
  note?: { text: string; isMet: boolean };
}

interface Scene {
  name: string;
  run(setting: Setting): Promise<Comparison>;
}

export const SCENES: Scene[] = [
  { name: "5 of 10 subscribers hang", run: besideHanging },
  { name: "10,000 subscriptions of another tenant", run: besideWide },
  { name: "a dead subscriber with a backlog of 100,000", run: besideBacklog },
  { name: "1,000 subscribers that answer in 3 s", run: besideSlow },
];

/** Runs `begin` before each disturbed stream; it returns what ends the disturbance. */
async function compare(
  { receiver, seconds, rounds }: Setting,
  healthy: { publisher: Account; aloneType: string; besideType: string; arrivalsPerEvent: number },
  begin: () => Promise<() => Promise<void>>,
): Promise<Comparison> {
  const stream = (type: string, length: number) =>
    streamEvents(receiver, {
      ...healthy,
      type,
      events: length * EVENTS_PER_SECOND,
      eventsPerSecond: EVENTS_PER_SECOND,
    });
  const [aloneMs, besideMs]: [number[], number[]] = [[], []];
  await stream(healthy.aloneType, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    aloneMs.push(...(await stream(healthy.aloneType, seconds)));
    const end = await begin();
    besideMs.push(...(await stream(healthy.besideType, seconds)));
    await end();
  }
  return { aloneMs, besideMs };
}

async function besideHanging(setting: Setting): Promise<Comparison> {
  const service = await serve(setting.bundles);
  const publisher = await createPublisher(service);
  const counts = { healthy: HEALTHY, hanging: HEALTHY };
  await subscribeMixed(publisher, setting.receiver, "Hanging", counts);
  await subscribe(publisher, TYPE, setting.receiver.okUrl, HEALTHY);
  await subscribe(publisher, TYPE, setting.receiver.otherUrl(0), HEALTHY);
  const types = { aloneType: TYPE, besideType: "Hanging" };
  // Only one round, because the subscriptions still hang afterwards.
  const long = { ...setting, seconds: setting.seconds * setting.rounds, rounds: 1 };
  const result = await compare(long, { publisher, ...types, arrivalsPerEvent: HEALTHY }, async () => async () => {});
  await stop(service, publisher);
  return result;
}

async function besideWide(setting: Setting): Promise<Comparison> {
  const { receiver, progress } = setting;
  const service = await serve(setting.bundles);
  const publisher = await createHealthy(service, receiver, 1);
  const wide = await createPublisher(service);
  progress(`subscribing ${WIDE}`);
  await subscribe(wide, "Wide", receiver.otherUrl(0), WIDE);
  const result = await compare(setting, healthyOf(publisher, 1), keepOwing(wide, "Wide", service));
  await stop(service, publisher, wide);
  return result;
}

async function besideSlow(setting: Setting): Promise<Comparison> {
  const { receiver } = setting;
  const service = await serve(setting.bundles);
  const publisher = await createHealthy(service, receiver, HEALTHY);
  await subscribe(publisher, "Slow", receiver.otherUrl(SLOW_ANSWER_MS), SLOW);
  const result = await compare(setting, healthyOf(publisher, HEALTHY), keepOwing(publisher, "Slow", service));
  await stop(service, publisher);
  return result;
}

async function besideBacklog(setting: Setting): Promise<Comparison> {
  const { receiver, progress } = setting;
  const service = await serve(setting.bundles, { worker: "counted" });
  const publisher = await createHealthy(service, receiver, HEALTHY);
  const [subscriptionId = ""] = await subscribe(publisher, "Waiting", receiver.hangUrl, 1);
  const begin = async () => {
    progress(`seeding ${BACKLOG}`);
    await seedBacklog(service.database, {
      tenantId: await tenantOf(publisher),
      subscriptionId,
      deliveries: BACKLOG,
      tag: "ddd",
    });
    while (receiver.hung === 0) await sleep(POLL_MS);
    return async () => {};
  };
  const long = { ...setting, seconds: setting.seconds * setting.rounds, rounds: 1 };
  const result = await compare(long, healthyOf(publisher, HEALTHY), begin);
  const note = await countWaiting(service, publisher, receiver);
  await stop(service, publisher);
  return { ...result, note };
}

/** Counts the rows that are written while nobody publishes and the backlog waits. */
async function countWaiting(service: Service, { client }: Account, receiver: Receiver) {
  const counters = async () => {
    const answer = await client.send({ path: "/bench/counters" });
    const doors = Object.values(JSON.parse(answer.text) as Record<string, { rowsWritten: number }>);
    return doors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  };
  await sleep(LEAD_MS);
  receiver.clear();
  await counters();
  await sleep(WAIT_SECONDS * 1000);
  const rows = await counters();
  const [waiting] = (await service.database.prepare("SELECT count(*) AS count FROM outbox").all<{ count: number }>())
    .results;
  const text = `${waiting?.count} wait; in ${WAIT_SECONDS} s ${receiver.hung} sends and ${rows} rows written (<= ${MAX_ROWS_PER_SEND} for each send)`;
  return { text, isMet: rows <= MAX_ROWS_PER_SEND * (receiver.hung + 3) };
}

/** Publishes an event, and the next one whenever few of its deliveries are left, until it is ended. */
function keepOwing(publisher: Account, type: string, service: Service): () => Promise<() => Promise<void>> {
  let n = 0;
  const isOwed = async () => {
    const { results } = await service.database.prepare("SELECT 1 FROM outbox LIMIT 1 OFFSET 20").all();
    return results.length > 0;
  };
  return async () => {
    let isOver = false;
    const loop = async () => {
      while (!isOver) {
        await ask(publisher.client, publishCall(publisher, type, --n));
        while (!isOver && (await isOwed())) await sleep(POLL_MS);
      }
    };
    const done = loop();
    await sleep(LEAD_MS);
    return async () => {
      isOver = true;
      await done;
    };
  };
}

async function createHealthy(service: Service, receiver: Receiver, count: number): Promise<Account> {
  const publisher = await createPublisher(service);
  await subscribe(publisher, TYPE, receiver.okUrl, count);
  return publisher;
}

const healthyOf = (publisher: Account, arrivalsPerEvent: number) => ({
  publisher,
  aloneType: TYPE,
  besideType: TYPE,
  arrivalsPerEvent,
});

async function stop(service: Service, ...publishers: Account[]): Promise<void> {
  for (const { client } of publishers) client.close();
  await service.stop();
}
