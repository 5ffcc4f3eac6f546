/** An event for so many subscriptions that their deliveries are created in pages. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { paceFanOuts, resumeFanOuts } from "../../src/webhooks/delivery/fan-outs";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { MOST_OF_TENANT } from "../../src/webhooks/delivery/places";
import { sweepFanOuts } from "../../src/webhooks/plane/fan-out";
import { eventually, type Person, signUp, verify } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { consumeBatch } from "../support/engine";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

/** Leaves a tenant so many places. */
function takeAllBut(tenantId: string, places: number): void {
  const { share, quick } = memory.places;
  for (const { ofTenants } of [share, quick]) ofTenants.set(tenantId, MOST_OF_TENANT - places);
}

describe("a fan-out to hundreds of subscriptions", () => {
  afterAll(() => deliveryDb.prepare("DROP TRIGGER put_off_wide").run());

  /** Adds many subscriptions. A trigger postpones their deliveries, because only the fan-out is tested. */
  async function subscribeMany(person: Person, count: number): Promise<void> {
    await verify(person.email);
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    await deliveryDb.batch([
      deliveryDb.prepare(
        `CREATE TRIGGER IF NOT EXISTS put_off_wide AFTER INSERT ON outbox WHEN NEW.subscription_id LIKE '%-_____'
          AND NEW.due_at < 9e15
         BEGIN UPDATE outbox SET due_at = 9e15 WHERE queue = NEW.queue AND due_at = NEW.due_at AND id = NEW.id; END`,
      ),
      deliveryDb
        .prepare(
          `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
            created_at, updated_at)
         ${rows} SELECT ?1 || printf('-%05d', i), ?1, 'many', 'http://receiver.example/200/many', '["Wide"]', 'x', 'x',
           1, 0, 0 FROM n`,
        )
        .bind(person.tenantId),
      deliveryDb
        .prepare(
          `INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
         ${rows} SELECT ?1, 'Wide', ?1 || printf('-%05d', i) FROM n`,
        )
        .bind(person.tenantId),
    ]);
  }
  const made = async (eventId: string) =>
    await deliveryDb
      .prepare("SELECT count(*) AS n, count(DISTINCT subscription_id) AS different FROM outbox WHERE event_id = ?")
      .bind(eventId)
      .first<{ n: number; different: number }>();
  const cursor = async (eventId: string) =>
    (
      await deliveryDb
        .prepare("SELECT fan_out_after AS after FROM events WHERE id = ?")
        .bind(eventId)
        .first<{ after: string | null }>()
    )?.after;

  test("is counted in full in the answer, continues through the queue, and creates no delivery twice", async () => {
    const person = await signUp();
    await subscribeMany(person, 600);
    const { id, deliveries } = await publish(person, 1, { type: "Wide" });
    expect(deliveries).toBe(600);
    const stale = { shard: SHARD, fanOuts: [{ eventId: id, fanOutAfter: `${person.tenantId}-00016` }] };
    await Promise.all([consumeBatch([stale]), consumeBatch([stale, stale])]);
    await eventually("fan-out done", async () => (await cursor(id)) === null, 25_000);
    expect(await made(id)).toEqual({ n: 600, different: 600 });
  });

  /** An event whose first 100 deliveries are made. */
  async function newFanOut({ tenantId }: Person) {
    const fanOut = { eventId: crypto.randomUUID(), fanOutAfter: `${tenantId}-00100` };
    await deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
          VALUES (?, ?, 'Wide', '1', 750, ?, 1)`,
      )
      .bind(fanOut.eventId, tenantId, fanOut.fanOutAfter)
      .run();
    return fanOut;
  }

  test("goes on with others in one message, and one that fails holds up none of them", async () => {
    const person = await signUp();
    await subscribeMany(person, 125);
    const fanOuts = await Promise.all([newFanOut(person), newFanOut(person), newFanOut(person)]);
    const [first, failing, last] = fanOuts.map(({ eventId }) => eventId) as [string, string, string];
    const cursors = () => Promise.all(fanOuts.map(({ eventId }) => cursor(eventId)));
    await deliveryDb
      .prepare(
        `CREATE TRIGGER refuse BEFORE INSERT ON outbox WHEN NEW.event_id = '${failing}'
          BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      )
      .run();
    try {
      expect((await consumeBatch([{ shard: SHARD, fanOuts }])).retryMessages).toHaveLength(1);
      expect(await cursors()).toEqual([null, fanOuts[1]?.fanOutAfter, null]);
    } finally {
      await deliveryDb.prepare("DROP TRIGGER refuse").run();
    }
    expect((await consumeBatch([{ shard: SHARD, fanOuts }])).retryMessages).toHaveLength(0);
    expect(await cursors()).toEqual([null, null, null]);
    expect(await Promise.all([first, failing, last].map(made))).toEqual(Array(3).fill({ n: 25, different: 25 }));
  });

  test("goes on by a message of the release before", async () => {
    const person = await signUp();
    await subscribeMany(person, 125);
    const { eventId, fanOutAfter } = await newFanOut(person);
    await consumeBatch([{ shard: SHARD, fanOut: eventId, afterSubscriptionId: fanOutAfter }]);
    expect(await cursor(eventId)).toBeNull();
    expect(await made(eventId)).toEqual({ n: 25, different: 25 });
  });

  test("is continued by the sweep if its message was lost", async () => {
    const person = await signUp();
    await subscribeMany(person, 750);
    const { eventId: id } = await newFanOut(person);
    const context = createExecutionContext();
    await sweepFanOuts(await createDeps(env, context), SHARD);
    await waitOnExecutionContext(context);
    await eventually("fan-out done", async () => (await cursor(id)) === null);
    expect(await made(id)).toEqual({ n: 650, different: 650 });
  });

  test("creates nothing more while its tenant has no place, and as much as it has places for after that", async () => {
    const person = await signUp();
    const { tenantId } = person;
    await subscribeMany(person, 250);
    const fanOut = { ...(await newFanOut(person)), tenantId };
    const deps = await createDeps(env, createExecutionContext());
    takeAllBut(tenantId, 0);
    await consumeBatch([{ shard: SHARD, fanOuts: [fanOut] }]);
    await resumeFanOuts(deps);
    expect(await made(fanOut.eventId)).toEqual({ n: 0, different: 0 });
    takeAllBut(tenantId, 12);
    await paceFanOuts(deps, SHARD, [fanOut]);
    expect(await cursor(fanOut.eventId)).toBe(`${tenantId}-00112`);
    memory.clear();
    await resumeFanOuts(deps);
    await eventually("fan-out done", async () => (await cursor(fanOut.eventId)) === null);
    expect(await made(fanOut.eventId)).toEqual({ n: 150, different: 150 });
  });

  test("creates one page of all of its tenant's wide events at a time, as large as the tenant has places", async () => {
    const person = await signUp();
    const { tenantId } = person;
    await subscribeMany(person, 250);
    const wide = await Promise.all(Array.from({ length: 5 }, () => newFanOut(person)));
    const deps = await createDeps(env, createExecutionContext());
    memory.clear();
    takeAllBut(tenantId, 12);
    await Promise.all(wide.map((fanOut) => paceFanOuts(deps, SHARD, [{ ...fanOut, tenantId }])));
    const created = await Promise.all(wide.map(({ eventId }) => made(eventId)));
    expect(created.map((one) => one?.n).toSorted()).toEqual([0, 0, 0, 0, 12]);
    memory.clear();
  });

  test("keeps places for the deliveries that it creates, so that nothing else takes them", async () => {
    const person = await signUp();
    const { tenantId } = person;
    await verify(person.email);
    for (let made = 0; made < 3; made += 1) await subscribe(person, newInbox("200").url, { events: ["Wide"] });
    const { deps } = await controlledDeps();
    memory.clear();
    const fanOut = { ...(await newFanOut(person)), fanOutAfter: "", tenantId };
    const startOver = "UPDATE events SET fan_out_after = '', created_at = 9e15 WHERE id = ?";
    await deliveryDb.prepare(startOver).bind(fanOut.eventId).run();
    await paceFanOuts(deps, SHARD, [fanOut]);
    expect([memory.keptPlaces.size, memory.places.share.ofTenants.get(tenantId)]).toEqual([3, 3]);
  });
});
