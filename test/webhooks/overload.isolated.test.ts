/** A database that answers for half a minute that it is overloaded: less is asked of it, and nothing is lost. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SYSTEM } from "../../src/base/schemas/actor";
import { publishEvents } from "../../src/webhooks/events/publish";
import { databaseIn } from "../support/faults/database";
import type { FaultPlan } from "../support/faults/faults";
import { isOwed, readRows } from "../support/faults/ledger";
import { seeded } from "../support/faults/random";
import { addSubscribers, EVENT_TYPE } from "../support/faults/rows";
import { World } from "../support/faults/world";

const START_MS = Date.UTC(2096, 0, 1);
const OVERLOAD_MS = 30_000;
const EVENTS = 60;
const TENANT_ID = "tenant";
const TENANT = { tenantId: TENANT_ID, shard: 0, hasVerifiedOwner: true, actor: SYSTEM };
const plan: FaultPlan = {
  ...{ startMs: START_MS, cronAfterMs: 5_000, alarmLateMs: 0, latencyMs: 0, focus: "", rate: 0, kills: [] },
  ...{ outages: [], isLimiterDown: false, crowd: { subscribers: 1, behaviour: "200", events: 1 } },
  queues: { loss: 0, duplicates: 0, late: 0, hasMetrics: true },
};

const event = (n: number) => ({
  ...{ type: EVENT_TYPE, payload: `${n}`, correlationId: null, idempotencyKey: `${n}` },
});

/** Publishes events, overloads their database before they are claimed, and lets the clock run until nothing is owed. */
async function overload(storage: DurableObjectStorage) {
  const database = databaseIn(storage);
  const world = new World(database, seeded(1), plan, new Map());
  await world.open();
  try {
    const { clock } = world;
    await clock.hold(() => addSubscribers(database, world.random, TENANT_ID, START_MS, plan.crowd));
    const publish = (n: number) => world.invoke("publish", (deps) => publishEvents(deps, TENANT, [event(n)], 0));
    const published = Promise.all(Array.from({ length: EVENTS }, (_, n) => publish(n)));
    let isPublished = false;
    void published.then(() => {
      isPublished = true;
    });
    await clock.run(() => isPublished, START_MS + 60_000);
    const fromMs = clock.nowMs;
    const error = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    plan.outages.push({ fromMs, toMs: fromMs + OVERLOAD_MS, error });
    let refusedAfterMs = -1;
    clock.after(0, () => void publish(EVENTS).catch(() => (refusedAfterMs = clock.nowMs - fromMs)));
    for (let notBeforeMs = fromMs + OVERLOAD_MS; ; notBeforeMs = clock.nowMs + 1) {
      await clock.run(() => world.isIdle && clock.nowMs >= notBeforeMs, fromMs + 600_000);
      if (!isOwed(await readRows(database, TENANT_ID))) break;
    }
    const { attempts } = await readRows(database, TENANT_ID);
    const sent = world.sent.map(({ deliveryId, atMs }) => ({ deliveryId, atMs: atMs - fromMs }));
    return { attempts, sent, refusedAfterMs, calls: callsIn(world.faults.history, fromMs - START_MS) };
  } finally {
    world.close();
  }
}

/** What was asked of the overloaded database: which function, and when, in ms since it has been overloaded. */
const callsIn = (history: readonly string[], fromMs: number) =>
  history.flatMap((line) => {
    const [, seconds, name] = line.match(/^(\S+) s: (\S+) fails, down: .*overloaded/) ?? [];
    return seconds === undefined ? [] : [{ name, atMs: Number(seconds) * 1_000 - fromMs }];
  });

test("an overloaded database is asked less and less, refuses a publish at once, and has all delivered once soon after it", async () => {
  const object = env.SWEEPER.get(env.SWEEPER.newUniqueId());
  const { attempts, sent, calls, refusedAfterMs } = await runInDurableObject(object, (_, { storage }) =>
    overload(storage),
  );
  const callsOf = (name: string, fromMs = 0, toMs = OVERLOAD_MS) =>
    calls.filter((call) => call.name === name && call.atMs >= fromMs && call.atMs < toMs).length;
  expect(refusedAfterMs).toBe(0);
  expect(callsOf("acceptEvents")).toBe(1);
  const claims = [callsOf("claimDeliveries", 0, 5_000), callsOf("claimDeliveries", 15_000)];
  // Sixty messages that each came back every five seconds would be four claims a second for as long as it lasts.
  expect(claims[0]).toBeLessThanOrEqual(4);
  expect(claims[1]).toBeLessThanOrEqual(3);
  expect(calls.length).toBeLessThanOrEqual(20);
  // Those that waited in a lane have a row more, which says so.
  const ended = attempts.filter(({ status }) => status !== "moved");
  expect(ended.map(({ status }) => status)).toEqual(Array(EVENTS).fill("success"));
  expect(new Set(sent.map(({ deliveryId }) => deliveryId)).size).toBe(EVENTS);
  expect(sent).toHaveLength(EVENTS);
  expect(Math.max(...sent.map(({ atMs }) => atMs))).toBeLessThan(2 * OVERLOAD_MS);
});
