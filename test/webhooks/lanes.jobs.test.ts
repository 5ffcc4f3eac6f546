/**
 * Who queues the deliveries of a lane: the results of earlier ones do, each delivery once, and the sweep, so that a
 * lane never stands still. When a lane ends.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Deps } from "../../src/base/deps";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { noteHungry, sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import type { SweptAt } from "../../src/webhooks/delivery/overdue";
import { sweepShard } from "../../src/webhooks/delivery/sweep";
import { CLAIM_LEASE_MS, MAX_SWEEP_INTERVAL_MS, QUEUE_GRACE_MS } from "../../src/webhooks/plane/timing";
import { call, eventually, type Person } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, type Key, newDelivery, outboxRow } from "../support/engine";
import { callUnder } from "../support/overrides";
import { publish } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

// The clock stands still: otherwise a busy machine could hand back what has not started in time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // Other tests keep places for what they have queued.
  memory.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Returns the keys of a subscription's deliveries that wait in its lane, oldest first. */
async function newLane(count: number) {
  const { person, webhookId, key } = await newDelivery("200");
  const keys = [key];
  while (keys.length < count) keys.push(await addDelivery(person, webhookId));
  await deliveryDb.batch([
    deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(webhookId),
    deliveryDb.prepare("UPDATE outbox SET queue = subscription_id WHERE subscription_id = ?").bind(webhookId),
  ]);
  return { person, webhookId, keys: keys.map((waiting) => ({ ...waiting, queue: webhookId })) };
}

const idsOf = (keys: readonly Key[]) => keys.map(({ id }) => id);

const deliver = async (deps: Deps, keys: readonly Key[]) => {
  const run = new DeliveryRun(deps, "slow");
  await run.add(keys.map((key) => ({ ...key, shard: SHARD })));
  await run.finished();
};

const hasLane = (webhookId: string) =>
  deliveryDb.prepare("SELECT has_backlog FROM subscriptions WHERE id = ?").bind(webhookId).first<0 | 1>("has_backlog");

const silent = { sendBatch: () => Promise.resolve() };

/** Publishes an event whose message is lost, and returns the queue of its delivery. */
async function queueOfNext({ token }: Person, webhookId: string): Promise<string | null> {
  const queues = { DELIVERY_QUEUE: silent, SLOW_DELIVERY_QUEUE: silent };
  const body = { type: "OrderPaid", payload: "next" };
  const { id } = (await callUnder(queues, { path: "/api/v1/events", token, body })).body.data;
  return deliveryDb
    .prepare("SELECT queue FROM outbox WHERE event_id = ? AND subscription_id = ?")
    .bind(id, webhookId)
    .first<string>("queue");
}

test("the results of a lane's deliveries queue each of the next ones once", async () => {
  const { deps, queued, ended } = await controlledDeps();
  const { keys } = await newLane(40);
  for (const part of [keys.slice(0, 3), keys.slice(3, 6)]) await deliver(deps, part);
  await ended();
  expect(queued.toSorted()).toEqual(idsOf(keys.slice(3, 22)).toSorted());
});

test("lanes that ask while others are read are read together after it, and no record waits for that", async () => {
  const reading = Promise.withResolvers<void>();
  const calls: string[] = [];
  const { deps, queued, ended } = await controlledDeps(async (name, call) => {
    calls.push(name);
    if (name === "advanceLanes") await reading.promise;
    return call();
  });
  const countOf = (wanted: string) => calls.filter((name) => name === wanted).length;
  const lanes = [await newLane(5), await newLane(5), await newLane(5)];
  const [first = [], ...others] = lanes.map(({ keys }) => keys.slice(0, 1));
  const delivered = [deliver(deps, first)];
  await eventually("the read of what comes next", async () => countOf("advanceLanes") === 1);
  delivered.push(...others.map((keys) => deliver(deps, keys)));
  await eventually("the other records", async () => countOf("recordAttempts") === 3);
  reading.resolve();
  await Promise.all(delivered);
  await ended();
  expect(countOf("advanceLanes")).toBe(2);
  for (const { keys } of lanes) expect(queued).toEqual(expect.arrayContaining(idsOf(keys.slice(1))));
});

test("a lane that waits for room goes on after a claim, whether or not anybody has answered", async () => {
  const { deps, queued, ended } = await controlledDeps();
  const { person, webhookId, keys } = await newLane(3);
  const { key } = await newDelivery("200");
  const answer = Promise.withResolvers<Response>();
  vi.stubGlobal("fetch", () => answer.promise);
  noteHungry(SHARD, { subscriptionId: webhookId, tenantId: person.tenantId }, Date.now());
  const run = new DeliveryRun(deps, "fast");
  await run.add([{ ...key, shard: SHARD }]);
  await eventually("the lane", async () => idsOf(keys).every((id) => queued.includes(id)));
  answer.resolve(new Response("done"));
  await run.finished();
  await ended();
});

test("a delivery that has left its lane is sent although the same run has its former key too, and first", async () => {
  const { deps, ended } = await controlledDeps();
  const { webhookId, keys } = await newLane(1);
  await deliveryDb.batch([
    deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 0 WHERE id = ?").bind(webhookId),
    deliveryDb.prepare("UPDATE outbox SET queue = '' WHERE subscription_id = ?").bind(webhookId),
  ]);
  await deliver(deps, [...keys, ...keys.map((key) => ({ ...key, queue: "" }))]);
  await ended();
  expect(await Promise.all(keys.map(outboxRow))).toEqual([null]);
});

test("a receiver that takes six seconds gets the next deliveries of its lane with its answers, without a sweep", async () => {
  const { deps, queued, turn, ended } = await controlledDeps();
  const { keys } = await newLane(30);
  const answer = Promise.withResolvers<void>();
  let sent = 0;
  vi.stubGlobal("fetch", async () => {
    sent += 1;
    if (sent === 3) {
      turn(6_000);
      answer.resolve();
    }
    await answer.promise;
    return new Response("done");
  });
  await deliver(deps, keys.slice(0, 3));
  await ended();
  expect(queued.toSorted()).toEqual(idsOf(keys.slice(3, 16)).toSorted());
});

test("a lane whose messages have come to nothing, because its subscription hung then, is queued again by the next sweep", async () => {
  const { deps, queued, turn } = await controlledDeps();
  const { keys } = await newLane(4);
  const first = idsOf(keys.slice(0, 3));
  const sweptAt: SweptAt = new Map();
  await sweepLanes(deps, SHARD, sweptAt);
  expect(queued).toEqual(expect.arrayContaining(first));
  queued.length = 0;
  await sweepLanes(deps, SHARD, sweptAt);
  // Others have lanes too.
  expect(queued.filter((id) => idsOf(keys).includes(id))).toEqual([]);
  turn(MAX_SWEEP_INTERVAL_MS);
  await sweepLanes(deps, SHARD, sweptAt);
  expect(queued).toEqual(expect.arrayContaining(first));
});

describe("a lane with fewer deliveries than it may have in progress", () => {
  test("ends with the next sweep although deliveries wait in it, and those are sent as well as the next ones", async () => {
    const { deps, queued } = await controlledDeps();
    const { person, webhookId, keys } = await newLane(1);
    expect(await queueOfNext(person, webhookId)).toBe(webhookId);
    await sweepLanes(deps, SHARD);
    expect([await hasLane(webhookId), await queueOfNext(person, webhookId)]).toEqual([0, ""]);
    const ids = idsOf(keys);
    expect(queued).toEqual(expect.arrayContaining(ids));
    expect(await Promise.all(ids.map((id) => outboxRow({ id })))).toMatchObject([{ queue: "" }]);
  });

  test("ends with the result of an earlier delivery, while a publish follows the other", async () => {
    const { deps, ended } = await controlledDeps();
    const { person, webhookId, keys } = await newLane(3);
    await queueOfNext(person, webhookId);
    await deliver(deps, keys);
    await ended();
    expect([await hasLane(webhookId), await queueOfNext(person, webhookId)]).toEqual([0, ""]);
  });

  test("ends without a delivery that is in progress; its retry leaves the lane with its result", async () => {
    const { deps, queued, ended } = await controlledDeps();
    const { person, webhookId, key } = await newDelivery("500");
    const answer = Promise.withResolvers<Response>();
    vi.stubGlobal("fetch", () => answer.promise);
    await addDelivery(person, webhookId);
    await deliveryDb.batch([
      deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(webhookId),
      deliveryDb.prepare("UPDATE outbox SET queue = subscription_id WHERE subscription_id = ?").bind(webhookId),
    ]);
    const inLane = { ...key, queue: webhookId };
    const run = new DeliveryRun(deps, "slow");
    await run.add([{ ...inLane, shard: SHARD }]);
    await sweepLanes(deps, SHARD);
    expect([await hasLane(webhookId), (await outboxRow(key))?.queue]).toEqual([0, webhookId]);
    answer.resolve(new Response("later", { status: 500 }));
    await run.finished();
    await ended();
    expect(await outboxRow(key)).toMatchObject({ queue: "", attempts: 1 });
    expect(queued.filter((id) => id === key.id)).toHaveLength(1);
  });

  test.each([
    ["is paused and holds deliveries", "enabled = 0, released_to = 0"],
    ["has asked for a pause", "held_until = 9e15"],
    ["is probed", "enabled = 0, released_to = 1"],
  ])("stays while its subscription %s", async (_why, state) => {
    const { deps } = await controlledDeps();
    const { webhookId } = await newLane(2);
    await deliveryDb.prepare(`UPDATE subscriptions SET ${state} WHERE id = ?`).bind(webhookId).run();
    await sweepLanes(deps, SHARD);
    expect(await hasLane(webhookId)).toBe(1);
  });
});

/** Claims a delivery for a consumer that died longer ago than a lease. */
const claimByDead = (key: Key) =>
  deliveryDb
    .prepare(
      `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count,
        attempted_at)
       SELECT subscription_id, id, event_id, 'OrderPaid', 'event', 'pending', 'dead', 1, ? FROM outbox WHERE id = ?`,
    )
    .bind(Date.now() - CLAIM_LEASE_MS - 1, key.id)
    .run();

test("a delivery whose consumer died keeps its place in its lane", async () => {
  const { deps } = await controlledDeps();
  const { keys } = await newLane(5);
  const [first] = keys;
  if (!first) throw new Error("no delivery");
  await claimByDead(first);
  await sweepLanes(deps, SHARD);
  const row = await outboxRow(first);
  expect(row).toMatchObject({ due_at: first.dueAt, interruptions: 1, attempts: 0 });
  expect(row?.attempt_id).not.toBeNull();
});

test("the lane of a deleted subscription ends, except the delivery that is in progress", async () => {
  const { deps, queued } = await controlledDeps();
  const { person, webhookId, keys } = await newLane(5);
  const [first] = keys;
  if (!first) throw new Error("no delivery");
  await deliveryDb
    .prepare(
      `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count,
        attempted_at)
       SELECT subscription_id, id, event_id, 'OrderPaid', 'event', 'pending', 'c', 1, ? FROM outbox WHERE id = ?`,
    )
    .bind(Date.now(), first.id)
    .run();
  await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
  await sweepLanes(deps, SHARD);
  const rows = await Promise.all(keys.map(outboxRow));
  expect(rows.map((row) => row === null)).toEqual([false, true, true, true, true]);
  expect(queued.filter((id) => idsOf(keys).includes(id))).toEqual([]);
});

test("a delivery with the id of another event's delivery that has succeeded is sent, and not taken for delivered", async () => {
  const { deps, queued, turn } = await controlledDeps();
  const { person, webhookId, key } = await newDelivery("200");
  const { id: otherId } = await publish(person, "other");
  await deliveryDb
    .prepare(
      `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at,
        completed_at)
       VALUES (?, ?, ?, 'OrderPaid', 'event', 'success', 1, ?, ?)`,
    )
    .bind(webhookId, key.id, otherId, key.dueAt, key.dueAt)
    .run();
  turn(QUEUE_GRACE_MS + 1);
  await sweepShard(deps, SHARD);
  expect(await outboxRow(key)).toMatchObject({ attempts: 0, attempt_id: expect.any(String) });
  await sweepShard(deps, SHARD);
  expect(queued).toContain(key.id);
});
