/**
 * From the publisher to the effect in the receiver's database, with both sides killed: the service at each of its calls
 * in turn, before and after its effect, and the receiver before and after each step of its store. Nothing is lost, and
 * nothing happens twice.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SYSTEM } from "../../src/base/schemas/actor";
import { type CollectingTx, d1Store, handle, type Store } from "../../src/sdk/receive";
import { publishEvents } from "../../src/webhooks/events/publish";
import { databaseIn } from "../support/faults/database";
import type { FaultPlan } from "../support/faults/faults";
import { isOwed, readRows } from "../support/faults/ledger";
import { seeded } from "../support/faults/random";
import { addSubscribers, EVENT_TYPE, removeTenant, SECRET } from "../support/faults/rows";
import { World } from "../support/faults/world";

const TENANT_ID = "tenant";
const TENANT = { tenantId: TENANT_ID, shard: 0, hasVerifiedOwner: true, actor: SYSTEM };
const START_EVERY_MS = 86_400_000;
/** Whatever has not ended by then is stuck. */
const DEADLINE_MS = 60 * 60_000;
const PUBLISH_AGAIN_MS = 1_000;

interface Deaths {
  /** The service is killed at the call with this number, from 0. */
  service: number;
  hasEffect: boolean;
  /** The receiver dies at this point of its store: two for each step. Null: it lives. */
  receiver: number | null;
}

const planOf = (number: number, { service, hasEffect }: Deaths): FaultPlan => ({
  ...{ startMs: Date.UTC(2090, 0, 1) + number * START_EVERY_MS, cronAfterMs: 5_000, alarmLateMs: 0, latencyMs: 5 },
  ...{ focus: "", crowd: { subscribers: 1, behaviour: "200", events: 1 }, rate: 0, outages: [], isLimiterDown: false },
  kills: [{ afterCalls: service, hasEffect, ofConsumers: false }],
  queues: { loss: 0, duplicates: 0, late: 0, hasMetrics: true },
});

/** A receiver whose first process dies at a point of its store; the next ones live. */
function receiverOf(store: Store<CollectingTx>, prefix: string, point: number | null) {
  let [passed, isDead, hasDied] = [0, false, false];
  const pass = () => {
    if (!hasDied && passed++ === point) [isDead, hasDied] = [true, true];
    if (isDead) throw new Error("died");
  };
  const dying: Store<CollectingTx> = {
    ...store,
    look: async (mark) => {
      pass();
      const known = await store.look(mark);
      pass();
      return known;
    },
    commit: async (mark, work, state) => {
      pass();
      const result = await store.commit(mark, work, state);
      pass();
      return result;
    },
  };
  const receive = async (delivery: { headers: Headers; body: string }) => {
    isDead = false;
    const answer = await handle<{ order: string }, CollectingTx>(
      delivery,
      { secret: SECRET, store: dying },
      ({ payload }, tx) => tx.run(`INSERT INTO ${prefix}effects VALUES (?)`, payload.order),
    );
    if (isDead) throw new Error("Network connection lost.");
    return answer;
  };
  return { receive, hasDied: () => hasDied };
}

/** Publishes one event, lets the clock run until nothing is owed, and returns what was found. */
async function run(database: D1Database, number: number, deaths: Deaths) {
  const prefix = `r${number}_`;
  const store = d1Store(database, { prefix });
  await store.migrate();
  await database.prepare(`CREATE TABLE ${prefix}effects (id TEXT)`).run();
  const receiver = receiverOf(store, prefix, deaths.receiver);
  const plan = planOf(number, deaths);
  const world = new World(database, seeded(number + 1), plan, new Map(), receiver.receive);
  await world.open();
  try {
    const { clock } = world;
    await clock.hold(() => addSubscribers(database, world.random, TENANT_ID, clock.nowMs, plan.crowd));
    let isPublished = false;
    const publish = async () => {
      const input = { type: EVENT_TYPE, payload: '{"order":"o"}', correlationId: null, idempotencyKey: "once" };
      while (!isPublished) {
        const answer = await world
          .invoke("publish", (deps) => publishEvents(deps, TENANT, [input], 0))
          .catch(() => null);
        isPublished = answer !== null;
        if (!isPublished) await clock.wait(PUBLISH_AGAIN_MS);
      }
    };
    clock.after(0, () => void publish());
    for (let notBeforeMs = plan.startMs; ; notBeforeMs = clock.nowMs + 1) {
      const isDone = () => isPublished && world.isIdle && clock.nowMs >= notBeforeMs;
      await clock.run(isDone, plan.startMs + DEADLINE_MS);
      if (!isOwed(await readRows(database, TENANT_ID))) break;
    }
  } finally {
    world.close();
    await removeTenant(database, TENANT_ID);
  }
  const effects = await database.prepare(`SELECT count(*) AS n FROM ${prefix}effects`).first<number>("n");
  const wasKilled = world.faults.history.some((line) => line.includes(" killed "));
  return { effects, wasKilled, hasDied: receiver.hasDied(), sends: world.sent.length, history: world.faults.history };
}

test("whichever call the service is killed at, and wherever the receiver dies, each effect is there once", async () => {
  const runAll = async (storage: DurableObjectStorage) => {
    const database = databaseIn(storage);
    const seen = { runs: 0, kills: 0, deaths: 0, repeats: 0 };
    for (const receiver of [null, 0, 1, 2, 3]) {
      for (let [service, wasKilled] = [0, true]; wasKilled; service += 1) {
        wasKilled = false;
        for (const hasEffect of [false, true]) {
          const deaths = { service, hasEffect, receiver };
          const found = await run(database, seen.runs, deaths);
          wasKilled ||= found.wasKilled;
          seen.runs += 1;
          seen.kills += Number(found.wasKilled);
          seen.deaths += Number(found.hasDied);
          seen.repeats += Number(found.sends > 1);
          if (found.effects !== 1) return { deaths, ...found };
        }
      }
    }
    return seen;
  };
  const object = env.SWEEPER.get(env.SWEEPER.idFromName("handled once"));
  const seen = await runInDurableObject(object, (_, { storage }) => runAll(storage));
  // Otherwise it is the run in which an effect was missing or there twice.
  expect(seen).toMatchObject({ kills: expect.any(Number) });
  expect("kills" in seen && [seen.kills > 80, seen.deaths > 60, seen.repeats > 60]).toEqual([true, true, true]);
}, 300_000);
