/**
 * The scenes of the fairness run. In each, a stream of events to healthy subscribers runs alone and then beside
 * something that disturbs it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, ask, publishCall, subscribe, tenantOf } from "./account.ts";
import { type Comparison, compare, createHealthy, HEALTHY, type Setting, stop, TYPE } from "./fairness-compare.ts";
import { besideDraining, besideProbes } from "./fairness-held.ts";
import { besideLimited } from "./fairness-limited.ts";
import type { Receiver } from "./receiver.ts";
import { seedBacklog } from "./seed.ts";
import { type Service, serve } from "./serve.ts";
import { createPublisher, subscribeMixed } from "./steady.ts";

const POLL_MS = 50;
/** How long the disturbance has run before the stream begins. */
const LEAD_MS = 2_000;
const WIDE = 10_000;
/**
 * Creating a subscription counts those of its tenant, so the wide tenant gets its subscriptions from tenants with few.
 */
const CREATED_PER_TENANT = 500;
const SLOW = 1_000;
const SLOW_ANSWER_MS = 3_000;
const BACKLOG = 100_000;
const WAIT_SECONDS = 15;
/** Rows for the claim, the mark as slow, the record, the postponement and the statistics. */
const MAX_ROWS_PER_SEND = 6;

interface Scene {
  name: string;
  run(setting: Setting): Promise<Comparison>;
}

export const SCENES: Scene[] = [
  { name: "5 of 10 subscribers hang", run: besideHanging },
  { name: "another tenant publishes to 10,000", run: besideWide },
  { name: "a dead subscriber with a backlog of 100,000", run: besideBacklog },
  { name: "1,000 subscribers that answer in 3 s", run: besideSlow },
  { name: "probes of disabled subscribers that hang", run: besideProbes },
  { name: "20,000 held deliveries that go out", run: besideDraining },
  { name: "10,000 deliveries to one limited to 50 a second", run: besideLimited },
];

/**
 * Each round has a new service, because the first second counts, in which the engine does not know yet which
 * subscribers hang.
 */
async function besideHanging(setting: Setting): Promise<Comparison> {
  const { bundles, receiver } = setting;
  const result: Comparison = { aloneMs: [], besideMs: [] };
  for (let round = 0; round < setting.rounds; round += 1) {
    const service = await serve(bundles);
    const publisher = await createPublisher(service);
    await subscribeMixed(publisher, receiver, "Hanging", { healthy: HEALTHY, hanging: HEALTHY });
    await subscribe(publisher, TYPE, receiver.okUrl, HEALTHY);
    await subscribe(publisher, TYPE, receiver.otherUrl(0), HEALTHY);
    const healthy = { publisher, aloneType: TYPE, besideType: "Hanging" };
    const { aloneMs, besideMs } = await compare({ ...setting, rounds: 1 }, healthy, async () => () => {});
    result.aloneMs.push(...aloneMs);
    result.besideMs.push(...besideMs);
    await stop(service, publisher);
  }
  return result;
}

async function besideWide(setting: Setting): Promise<Comparison> {
  const { receiver, progress, bundles } = setting;
  const service = await serve(bundles);
  const healthy = await createHealthy(service, receiver);
  const wide = await createPublisher(service);
  progress(`subscribing ${WIDE}`);
  await subscribeMany(service, wide, "Wide", receiver.otherUrl(0));
  const result = await compare(setting, healthy, () => keepOwing(wide, "Wide", service));
  await stop(service, healthy.publisher, wide);
  return result;
}

async function subscribeMany(service: Service, wide: Account, type: string, url: string): Promise<void> {
  const tenantId = await tenantOf(wide);
  for (let created = 0; created < WIDE; created += CREATED_PER_TENANT) {
    const lender = await createPublisher(service);
    await subscribe(lender, type, url, CREATED_PER_TENANT);
    const lenderId = await tenantOf(lender);
    for (const table of ["subscriptions", "subscription_events"]) {
      const update = `UPDATE ${table} SET tenant_id = ? WHERE tenant_id = ?`;
      await service.database.prepare(update).bind(tenantId, lenderId).run();
    }
    lender.client.close();
  }
}

async function besideSlow(setting: Setting): Promise<Comparison> {
  const { receiver, bundles } = setting;
  const service = await serve(bundles);
  const healthy = await createHealthy(service, receiver);
  await subscribe(healthy.publisher, "Slow", receiver.otherUrl(SLOW_ANSWER_MS), SLOW);
  const result = await compare(setting, healthy, () => keepOwing(healthy.publisher, "Slow", service));
  await stop(service, healthy.publisher);
  return result;
}

async function besideBacklog(setting: Setting): Promise<Comparison> {
  const { receiver, progress, bundles } = setting;
  const service = await serve(bundles, { worker: "counted" });
  const healthy = await createHealthy(service, receiver);
  const { publisher } = healthy;
  const [subscriptionId = ""] = await subscribe(publisher, "Waiting", receiver.hangUrl, 1);
  const result = await compare(setting, healthy, async () => {
    progress(`seeding ${BACKLOG}`);
    const tenantId = await tenantOf(publisher);
    await seedBacklog(service.database, { tenantId, subscriptionId, deliveries: BACKLOG, tag: "ddd" });
    while (receiver.hung === 0) await sleep(POLL_MS);
    return () => {};
  });
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
  const text =
    `${waiting?.count} wait; in ${WAIT_SECONDS} s ${receiver.hung} sends and ${rows} rows written (<= ` +
    `${MAX_ROWS_PER_SEND} for each send)`;
  return { text, isMet: rows <= MAX_ROWS_PER_SEND * (receiver.hung + 3) };
}

/**
 * Publishes an event, and the next one whenever few of its deliveries are left, those that are not created yet
 * included. Returns the function that ends this.
 */
async function keepOwing(publisher: Account, type: string, service: Service): Promise<() => void> {
  let isOver = false;
  const isOwed = async () => {
    const unfinished = "SELECT 1 FROM events WHERE fan_out_after IS NOT NULL";
    const created = "SELECT 1 FROM (SELECT 1 FROM outbox LIMIT 1 OFFSET 20)";
    const { results } = await service.database.prepare(`${unfinished} UNION ALL ${created} LIMIT 1`).all();
    return results.length > 0;
  };
  const loop = async () => {
    for (let n = 0; !isOver; n += 1) {
      await ask(publisher.client, publishCall(publisher, type, n));
      while (!isOver && (await isOwed())) await sleep(POLL_MS);
    }
  };
  const done = loop();
  await Promise.race([done, sleep(LEAD_MS)]);
  return () => {
    isOver = true;
  };
}
