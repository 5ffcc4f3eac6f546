/**
 * Slow and hanging subscriptions do not delay the others: which deliveries are claimed and sent next, and the backlog.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import { FIRST_WIDTH } from "../../src/webhooks/delivery/lanes/width";
import { hasPlace, takePlace } from "../../src/webhooks/delivery/places";
import { nextToSend, planClaim, roundRobin } from "../../src/webhooks/delivery/selection";
import {
  expectedMs,
  hangs,
  hasRoomFor,
  holdBytes,
  isQuick,
  sendsOf,
  startSend,
  watch,
} from "../../src/webhooks/delivery/send-load";
import { sweepShard } from "../../src/webhooks/delivery/sweep";
import { CLAIM_LEASE_MS, QUEUE_GRACE_MS, WATCH_EVERY_MS } from "../../src/webhooks/plane/timing";
import { eventually } from "../support/client";
import { onePair } from "../support/controlled";
import {
  addDelivery,
  consumeBatch,
  type Key,
  messageFor,
  metricsOf,
  newDelivery,
  outboxRow,
  sweepNow,
} from "../support/engine";
import { deliveryDb, SHARD } from "../support/shard";

const SLOW_QUEUE = "postern-deliveries-slow";
const keyOf = (subscriptionId: string, bytes = 1) => ({
  shard: SHARD,
  queue: "",
  dueAt: 0,
  id: crypto.randomUUID(),
  subscriptionId,
  bytes,
});

/** The next delivery to send of those that may start at once. */
const next = (keys: readonly Key[]) =>
  nextToSend(
    keys.map((key) => ({ ...key, startMs: 0 })),
    Date.now(),
  );

describe("the next send", () => {
  test("a subscription hangs when it has sends in progress and none has ended for a second, not when it is busy", () => {
    let nowMs = 0;
    const id = crypto.randomUUID();
    const ends = [startSend(id, () => nowMs), startSend(id, () => nowMs), startSend(id, () => nowMs)];
    nowMs = 999;
    expect(hangs(id, nowMs)).toBe(false);
    ends[0]?.();
    nowMs = 1_500;
    ends.push(startSend(id, () => nowMs));
    expect(hangs(id, nowMs)).toBe(false);
    nowMs = 2_000;
    expect(hangs(id, nowMs)).toBe(true);
    for (const end of ends.slice(1)) end();
    expect(hangs(id, nowMs)).toBe(false);
  });

  test("a subscription does not hang because the isolate was blocked and could not read its answer", () => {
    const id = crypto.randomUUID();
    const end = startSend(id, () => 0);
    watch(0);
    watch(WATCH_EVERY_MS);
    watch(2_000);
    expect(hangs(id, 2_000)).toBe(false);
    for (let nowMs = 2_000; nowMs <= 3_000; nowMs += WATCH_EVERY_MS) watch(nowMs);
    expect(hangs(id, 3_000)).toBe(true);
    end();
  });

  test("the sends, places and payloads of a killed invocation count for one lease, although its timers end with it", async () => {
    const { inbox, webhookId, key } = await newDelivery("200");
    const killedMs = Date.now() - CLAIM_LEASE_MS;
    for (let sends = 0; sends < FIRST_WIDTH; sends += 1) {
      startSend(webhookId, () => killedMs);
      takePlace(key, killedMs);
    }
    holdBytes(16 * 1024 * 1024, killedMs);
    expect([hasPlace(key, killedMs), hasRoomFor(1)]).toEqual([false, false]);
    await consumeBatch([messageFor(key)], SLOW_QUEUE);
    await inbox.arrived(1);
    expect([sendsOf(webhookId), hasRoomFor(1)]).toEqual([0, true]);
  });

  test("the subscription with the fewest sends in progress comes first", () => {
    const [busy, idle] = [crypto.randomUUID(), crypto.randomUUID()];
    const end = startSend(busy, Date.now);
    expect(next([keyOf(busy), keyOf(idle)])?.subscriptionId).toBe(idle);
    end();
  });

  test("subscriptions take turns", () => {
    const items = ["a", "a", "a", "b", "c", "b"].map((subscriptionId) => ({ subscriptionId }));
    expect(
      roundRobin(items)
        .map(({ subscriptionId }) => subscriptionId)
        .join(""),
    ).toBe("abcaba");
  });
});

describe("a claim", () => {
  test("takes no more of a subscription than it may have in progress", () => {
    const [hog, other] = [crypto.randomUUID(), crypto.randomUUID()];
    memory.latenciesMs.set(hog, 5);
    const planned = planClaim([...Array.from({ length: 20 }, () => keyOf(hog)), keyOf(other)], 0);
    expect(planned.filter(({ subscriptionId }) => subscriptionId === hog)).toHaveLength(10);
    expect(planned.at(1)?.subscriptionId).toBe(other);
  });

  test("takes as many deliveries as can start soon: sixty of quick subscriptions, few of one that takes seconds", () => {
    const quick = Array.from({ length: 60 }, () => keyOf(crypto.randomUUID()));
    for (const { subscriptionId } of quick) memory.latenciesMs.set(subscriptionId, 5);
    expect(planClaim(quick, 0)).toHaveLength(60);
    const slow = crypto.randomUUID();
    let nowMs = 0;
    for (let n = 0; n < 10; n += 1) {
      const end = startSend(slow, () => nowMs);
      nowMs += 3_000;
      end();
    }
    expect(expectedMs(slow)).toBeGreaterThan(2_900);
    const planned = planClaim(
      Array.from({ length: 60 }, () => keyOf(slow)),
      0,
    );
    expect(planned.length).toBeLessThanOrEqual(2);
    expect(planned.length).toBeGreaterThan(0);
  });

  test("is as large for a receiver that answers at once when a busy isolate reads some of its answers late", () => {
    const id = crypto.randomUUID();
    let nowMs = 0;
    for (const latencyMs of [3, 180, 3, 180, 180, 3, 180]) {
      const end = startSend(id, () => nowMs);
      nowMs += latencyMs;
      end();
    }
    expect([isQuick(id, nowMs), expectedMs(id) < 50]).toEqual([true, true]);
  });

  test("takes no more payloads than fit into memory, but always one", () => {
    const large = Array.from({ length: 100 }, () => keyOf(crypto.randomUUID(), 256 * 1024));
    const bytes = planClaim(large, 0).reduce((sum, key) => sum + key.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    const release = holdBytes(16 * 1024 * 1024, Date.now());
    expect([hasRoomFor(1), planClaim(large, 0)]).toEqual([false, []]);
    release();
    expect(planClaim([keyOf("x", 10 ** 9)], 0)).toHaveLength(1);
  });

  test("from the fast queue takes nothing of a slow subscription: its deliveries move to the slow queue and are sent from there", async () => {
    const { inbox, webhookId, key } = await newDelivery("200");
    await deliveryDb.prepare("UPDATE subscriptions SET slow_until = 9e15 WHERE id = ?").bind(webhookId).run();
    const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
    const { claimed, slow } = await claimDeliveries(db, { speed: "fast", claim: "x" }, [key], Date.now());
    expect([claimed, slow.map(({ id }) => id)]).toEqual([[], [key.id]]);
    await consumeBatch([messageFor(key)]);
    await inbox.arrived(1);
  });
});

/** Sweeps, and returns the queues in which that puts the delivery. The messages are lost: nothing is sent meanwhile. */
async function queuesOfSweep({ id }: Key): Promise<string[]> {
  const deps = await createDeps(env, createExecutionContext());
  const queued: string[] = [];
  const recording = (speed: string) =>
    ({
      sendBatch: async (messages: Iterable<MessageSendRequest>) => {
        if (JSON.stringify([...messages]).includes(id)) queued.push(speed);
      },
    }) as unknown as Queue<never>;
  const watched = { ...deps, deliveryQueues: onePair(recording("slow"), recording("fast")) };
  await sweepShard(watched, SHARD);
  await sweepLanes(watched, SHARD);
  return queued;
}

describe("a delivery that has waited for seconds without being claimed", () => {
  const lateDelivery = async () => {
    const { person, webhookId } = await newDelivery("200");
    return addDelivery(person, webhookId, { dueAt: Date.now() - QUEUE_GRACE_MS });
  };
  const noteAnswers = ({ subscriptionId }: Key, bucket: "latency_5" | "latency_6") =>
    deliveryDb
      .prepare(`INSERT INTO hourly_stats (subscription_id, hour, succeeded, ${bucket}) VALUES (?, 0, 1, 1)`)
      .bind(subscriptionId)
      .run();

  test("is swept into the fast queue if its subscription has answered within a second", async () => {
    const key = await lateDelivery();
    await noteAnswers(key, "latency_5");
    expect(await queuesOfSweep(key)).toEqual(["fast"]);
  });

  test("is swept into the slow queue if its subscription has never answered, or took longer", async () => {
    const [unknown, slow] = [await lateDelivery(), await lateDelivery()];
    await noteAnswers(slow, "latency_6");
    expect([await queuesOfSweep(unknown), await queuesOfSweep(slow)]).toEqual([["slow"], ["slow"]]);
  });
});

describe("a subscription that hangs", () => {
  const moveToBacklog = (webhookId: string) =>
    deliveryDb.batch([
      deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(webhookId),
      deliveryDb.prepare("UPDATE outbox SET queue = subscription_id WHERE subscription_id = ?").bind(webhookId),
    ]);

  test("is marked as slow before its first send ends", async () => {
    const { webhookId, key } = await newDelivery("hang");
    const ends = consumeBatch([messageFor(key)]);
    const slowUntil = await eventually("marked slow", () =>
      deliveryDb
        .prepare("SELECT slow_until FROM subscriptions WHERE id = ?")
        .bind(webhookId)
        .first<number>("slow_until"),
    );
    expect(slowUntil).toBeGreaterThan(Date.now());
    expect(await outboxRow(key)).toMatchObject({ attempts: 0 });
    await ends;
  });

  test("has ten sends in progress; its other deliveries wait in a backlog without an attempt, and other subscriptions are served", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("hang");
    const others = await Promise.all(Array.from({ length: 19 }, () => addDelivery(person, webhookId)));
    const healthy = await newDelivery("200");
    const keys = [key, ...others];
    const hanging = [0, 5, 10, 15].map((from) => consumeBatch([messageFor(...keys.slice(from, from + 5))], SLOW_QUEUE));
    await inbox.arrived(10);
    await consumeBatch([messageFor(...keys.slice(10), healthy.key)], SLOW_QUEUE);
    expect(await healthy.inbox.received()).toHaveLength(1);
    await eventually("the rest waits", async () => {
      const rows = await deliveryDb
        .prepare("SELECT count(*) AS n FROM outbox WHERE queue = ?")
        .bind(webhookId)
        .first<number>("n");
      return (rows ?? 0) >= 10;
    });
    expect(await inbox.received()).toHaveLength(10);
    await Promise.all(hanging);
    expect(await metricsOf(person, webhookId)).toMatchObject({ success: 0 });
  });

  test("receives its backlog in the order of publication once it answers, and then has no backlog any more", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    const later = await addDelivery(person, webhookId, { dueAt: key.dueAt + 1 });
    await moveToBacklog(webhookId);
    await scheduler.wait(5);
    await sweepNow();
    await inbox.arrived(2);
    await eventually("nothing owed", async () => (await outboxRow(key)) === null && (await outboxRow(later)) === null);
    await sweepNow();
    const flag = deliveryDb.prepare("SELECT has_backlog FROM subscriptions WHERE id = ?").bind(webhookId);
    expect(await flag.first("has_backlog")).toBe(0);
  });

  test("has its backlog swept into the slow queue, so that it cannot delay the fast queue", async () => {
    const { webhookId, key } = await newDelivery("200");
    await moveToBacklog(webhookId);
    expect(await queuesOfSweep(key)).toEqual(["slow"]);
  });

  test("causes no row to be written while its backlog waits", async () => {
    const { person, webhookId } = await newDelivery("hang");
    await Promise.all(Array.from({ length: 20 }, () => addDelivery(person, webhookId, { dueAt: Date.now() - 1 })));
    const ends = Array.from({ length: FIRST_WIDTH }, () =>
      takePlace({ subscriptionId: webhookId, tenantId: person.tenantId }, Date.now()),
    );
    await moveToBacklog(webhookId);
    const owed = deliveryDb.prepare("SELECT * FROM outbox WHERE subscription_id = ? ORDER BY due_at, id");
    const rows = async () => (await owed.bind(webhookId).all()).results;
    const before = await rows();
    await sweepNow();
    await sweepNow();
    expect(before).toHaveLength(21);
    expect(await rows()).toEqual(before);
    const attempts = await deliveryDb
      .prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?")
      .bind(webhookId)
      .first("n");
    expect(attempts).toBe(0);
    for (const end of ends) end();
  });
});
