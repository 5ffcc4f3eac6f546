/**
 * What a run asks of its database at its worst. The platform lets an invocation send 1,000 queries, and may count the
 * statements of a batch.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { TripCount } from "../../src/base/db/client";
import { consume } from "../../src/queue";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { databaseIn } from "../support/faults/database";
import { seeded } from "../support/faults/random";
import { addSubscribers } from "../support/faults/rows";
import { World } from "../support/faults/world";

const START_MS = Date.UTC(2095, 0, 1);
const TENANT_ID = "tenant";
/** As many as a batch can have for quick subscriptions. */
const DELIVERIES = 1_500;
const KEYS_A_MESSAGE = 50;
const PLAN = {
  ...{ startMs: START_MS, cronAfterMs: 3_600_000, alarmLateMs: 0, latencyMs: 5, focus: "", rate: 0, kills: [] },
  ...{ outages: [], isLimiterDown: false, crowd: { subscribers: DELIVERIES, behaviour: "200", events: 1 } },
  // What the run hands back is not this test's matter.
  queues: { loss: 1, duplicates: 0, late: 0, hasMetrics: true },
};

const holdMs = (n: number) => 2 + ((n * 37) % 10);

/**
 * Adds a delivery of each subscription. Every other one of these fails, and few answers of a run come together, so that
 * records have few results.
 */
async function addDeliveries(database: D1Database, ids: readonly string[]): Promise<void> {
  const all = ids.map((id, n) => ({
    ...{ id, url: `http://receiver.example/${n % 2 === 0 ? 200 : 500}?holdMs=${holdMs(n)}` },
    ...{ event: `${id.slice(0, 23)}-e${id.slice(25)}`, delivery: `${id.slice(0, 23)}-d${id.slice(25)}` },
  }));
  // As earlier sends have shown, so that the run claims no more than it can send.
  for (const [n, { id }] of all.entries()) memory.latenciesMs.set(id, holdMs(n));
  await database.batch(
    [
      `UPDATE subscriptions SET url = (SELECT value ->> 'url' FROM json_each(?1)
         WHERE value ->> 'id' = subscriptions.id)`,
      `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         SELECT value ->> 'event', ?2, 'OrderPaid', '1', 1, ?3 FROM json_each(?1)`,
      `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
         SELECT '', ?3, value ->> 'delivery', ?2, value ->> 'id', value ->> 'event', 'event', 1
         FROM json_each(?1)`,
    ].map((query, n) => database.prepare(query).bind(JSON.stringify(all), ...(n === 0 ? [] : [TENANT_ID, START_MS]))),
  );
}

test("a run sends D1 fewer than 1,000 statements, although its 1,500 results do not come together", async () => {
  const measure = async (storage: DurableObjectStorage) => {
    const database = databaseIn(storage);
    const world = new World(database, seeded(1), PLAN, new Map());
    await world.open();
    try {
      const { clock } = world;
      const subscribers = await clock.hold(() =>
        addSubscribers(database, world.random, TENANT_ID, START_MS, PLAN.crowd),
      );
      await addDeliveries(
        database,
        subscribers.map(({ id }) => id),
      );
      const keys = storage.sql
        .exec("SELECT queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes FROM outbox ORDER BY id")
        .toArray();
      const messages = Array.from({ length: DELIVERIES / KEYS_A_MESSAGE }, (_, n) => ({
        id: `m${n}`,
        body: { shard: 0, due: keys.slice(n * KEYS_A_MESSAGE, (n + 1) * KEYS_A_MESSAGE) },
        ack: () => undefined,
        retry: () => undefined,
      }));
      const batch = { queue: "postern-deliveries", messages } as unknown as MessageBatch;
      let trips: TripCount | undefined;
      void world.invoke("consumer", (deps) => {
        trips = deps.trips;
        return consume(deps, batch);
      });
      await clock.run(() => world.isIdle, START_MS + 600_000);
      const ended = storage.sql.exec("SELECT count(*) AS n FROM attempts WHERE status IN ('success', 'failed')").one();
      return { ended: ended.n, statements: trips?.statements ?? 0 };
    } finally {
      world.close();
      memory.clear();
    }
  };
  const object = env.SWEEPER.get(env.SWEEPER.newUniqueId());
  const { ended, statements } = await runInDurableObject(object, (_, { storage }) => measure(storage));
  // The run hands back the others, for further invocations.
  expect(ended).toBeGreaterThan(200);
  expect(statements).toBeGreaterThan(200);
  expect(statements).toBeLessThan(1_000);
}, 300_000);
