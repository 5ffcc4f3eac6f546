/**
 * Which deliveries the sweep takes for lost, and which messages a queue is given at all: what waits for hours must not
 * hide what is lost.
 */
import {
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import type { SweptAt } from "../../src/webhooks/delivery/overdue";
import { sweepShard } from "../../src/webhooks/delivery/sweep";
import { enqueueLater } from "../../src/webhooks/plane/enqueue";
import {
  CLAIM_LEASE_MS,
  LONGEST_MESSAGE_DELAY_MS,
  QUEUE_GRACE_MS,
  RESWEEP_AFTER_MS,
} from "../../src/webhooks/plane/timing";
import { type Person, signUp } from "../support/client";
import { controlledDeps, onePair } from "../support/controlled";
import { addDelivery, type Key } from "../support/engine";
import { subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const HOUR_MS = 3_600_000;

afterEach(() => void vi.useRealTimers());

interface Sent {
  body: { due: { id: string }[] };
  delaySeconds: number;
}

/**
 * A queue that keeps what it is given. Like the platform's, and unlike that of the local runtime, it tells the age of
 * its oldest message.
 */
function newQueue(oldestMessageAtMs: number | null) {
  const sent: Sent[] = [];
  const queue = {
    sendBatch: async (batch: Iterable<Sent>) => void sent.push(...batch),
    metrics: async () =>
      oldestMessageAtMs === null
        ? { backlogCount: 0, backlogBytes: 0 }
        : { backlogCount: 1, backlogBytes: 1, oldestMessageTimestamp: new Date(oldestMessageAtMs) },
  } as unknown as Queue<unknown>;
  return { queue, sent };
}

/**
 * Returns the deliveries that one sweep at `nowMs` queues again, while the oldest message of the queue is from
 * `oldestMessageAtMs`.
 */
async function swept(nowMs: number, oldestMessageAtMs: number | null): Promise<string[]> {
  const context = createExecutionContext();
  const { queue, sent } = newQueue(oldestMessageAtMs);
  const deps = await createDeps(env, context);
  await sweepShard({ ...deps, deliveryQueues: onePair(queue), now: () => nowMs }, SHARD);
  await waitOnExecutionContext(context);
  return sent.flatMap(({ body }) => body.due.map(({ id }) => id));
}

describe("a delivery that is due and not begun", () => {
  let person: Person;
  let webhookId: string;
  let nowMs: number;
  beforeEach(async () => {
    await deliveryDb.prepare("DELETE FROM outbox").run();
    person = await signUp();
    webhookId = await subscribe(person, "http://receiver.example/200/lost");
    nowMs = Date.now();
  });
  const dueSince = (seconds: number): Promise<Key> => addDelivery(person, webhookId, { dueAt: nowMs - seconds * 1000 });

  test.each([
    ["is empty", null],
    ["has a message that is newer than 5 seconds", 2],
  ])("is lost after 5 seconds if the queue %s", async (_what, oldestSeconds) => {
    const late = await dueSince(6);
    await dueSince(1);
    expect(await swept(nowMs, oldestSeconds === null ? null : nowMs - oldestSeconds * 1000)).toEqual([late.id]);
  });

  test("is not lost while the queue has messages as old as its own", async () => {
    const older = await dueSince(120);
    await dueSince(30);
    expect(await swept(nowMs, nowMs - 60_000)).toEqual([older.id]);
  });

  test("is lost after 90 seconds, however old a message of another database or of no delivery is", async () => {
    const late = await dueSince(95);
    await dueSince(80);
    expect(await swept(nowMs, nowMs - 8 * HOUR_MS)).toEqual([late.id]);
  });

  test.each([
    ["in 10 seconds, as by the default schedule", 10_000],
    ["in an hour, which has no message", HOUR_MS],
  ])("is not lost because of a retry that is due %s", async (_when, waitMs) => {
    const older = await dueSince(120);
    await dueSince(30);
    await addDelivery(person, webhookId, { dueAt: nowMs + waitMs });
    expect(await swept(nowMs, nowMs - 60_000)).toEqual([older.id]);
  });

  test("is queued by the first sweep after it is due if it is a retry under the subscription's own schedule", async () => {
    const id = await subscribe(person, "http://receiver.example/200/own", { delivery: { retry: { schedule: [60] } } });
    const due = { dueAt: nowMs };
    const [retry] = [await addDelivery(person, id, due), await addDelivery(person, id, due), await dueSince(1)];
    await addDelivery(person, id, { dueAt: nowMs + 60_000 });
    await deliveryDb.prepare("UPDATE outbox SET attempts = 1 WHERE id = ?").bind(retry.id).run();
    expect(await swept(nowMs, nowMs - 60_000)).toEqual([retry.id]);
  });
});

describe("a delivery whose consumer died", () => {
  const newSubscription = async () => {
    await deliveryDb.prepare("DELETE FROM outbox").run();
    const person = await signUp();
    return { person, webhookId: await subscribe(person, "http://receiver.example/200/lost"), nowMs: Date.now() };
  };
  /** Adds a delivery that was claimed when it was due. */
  const addClaimed = async (person: Person, webhookId: string, dueAt: number) => {
    const key = await addDelivery(person, webhookId, { dueAt });
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count,
          attempted_at)
         SELECT subscription_id, id, event_id, 'OrderPaid', 'event', 'pending', 'c', 1, due_at FROM outbox
           WHERE id = ?`,
      )
      .bind(key.id)
      .run();
    return key;
  };

  test("is queued again when its lease ends, however old the oldest message is", async () => {
    const { person, webhookId, nowMs } = await newSubscription();
    const dead = await addClaimed(person, webhookId, nowMs - CLAIM_LEASE_MS - 1_000);
    await addClaimed(person, webhookId, nowMs - CLAIM_LEASE_MS + 5_000);
    expect(await swept(nowMs, nowMs - 8 * HOUR_MS)).toEqual([dead.id]);
  });

  test("is swept when the leases of all deliveries have ended that were claimed within five seconds with it", async () => {
    const { person, webhookId, nowMs } = await newSubscription();
    for (const ms of [8_000, 6_000, 1_500]) await addClaimed(person, webhookId, nowMs - ms);
    const { deps } = await controlledDeps();
    expect(await sweepShard({ ...deps, now: () => nowMs }, SHARD)).toBe(nowMs - 6_000 + CLAIM_LEASE_MS);
  });
});

describe("a delivery that is swept and not begun", () => {
  const reports = (oldestMessageAtMs: () => number | null) => async (): Promise<QueueMetrics> => {
    const oldestMs = oldestMessageAtMs();
    if (oldestMs === null) return { backlogCount: 0, backlogBytes: 0 };
    return { backlogCount: 1, backlogBytes: 1, oldestMessageTimestamp: new Date(oldestMs) };
  };
  /** Returns how often the delivery has been queued after each sweep, and what each sweep asks for. */
  const sweepsAt = async (waitsMs: readonly number[], metrics?: () => Promise<QueueMetrics>) => {
    await deliveryDb.prepare("DELETE FROM outbox").run();
    const person = await signUp();
    const id = await subscribe(person, "http://receiver.example/200/lost");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await addDelivery(person, id);
    const { deps, queued, turn } = await controlledDeps(undefined, metrics);
    const sweptAt: SweptAt = new Map();
    const counts: number[] = [];
    const nextInMs: (number | null)[] = [];
    for (const waitMs of waitsMs) {
      turn(waitMs);
      const next = await sweepShard(deps, SHARD, sweptAt);
      counts.push(queued.length);
      nextInMs.push(next && next - deps.now());
    }
    return { counts, nextInMs };
  };

  test("is queued again once a minute if the queues do not report their messages", async () => {
    const grace = QUEUE_GRACE_MS + 1;
    const { counts } = await sweepsAt([0, grace, grace, RESWEEP_AFTER_MS / 2, RESWEEP_AFTER_MS]);
    expect(counts).toEqual([0, 1, 1, 1, 2]);
  });

  test("is queued again once a minute while the queues have a message that may be its own", async () => {
    const sweptMs = Date.now() + QUEUE_GRACE_MS + 1;
    const waits = [QUEUE_GRACE_MS + 1, ...Array.from({ length: 8 }, () => QUEUE_GRACE_MS + 1)];
    const { counts } = await sweepsAt(
      waits,
      reports(() => sweptMs + QUEUE_GRACE_MS - 1_000),
    );
    expect(counts).toEqual(waits.map(() => 1));
  });

  test.each([
    ["are empty", null],
    ["have newer messages only", 10_000],
  ])(
    "is queued again by the sweep that it asks for if the queues %s, because they have lost it",
    async (_, newerMs) => {
      const sweptMs = Date.now() + QUEUE_GRACE_MS + 1;
      const metrics = reports(() => newerMs && sweptMs + newerMs);
      const { counts, nextInMs } = await sweepsAt([QUEUE_GRACE_MS + 1, QUEUE_GRACE_MS - 1, 1], metrics);
      expect(counts).toEqual([1, 1, 2]);
      expect(nextInMs).toEqual([QUEUE_GRACE_MS, 1, QUEUE_GRACE_MS]);
    },
  );
});

test("an object that has slept since its last sweep remembers what it has queued", async () => {
  await deliveryDb.prepare("DELETE FROM outbox").run();
  const person = await signUp();
  const id = await subscribe(person, "http://receiver.example/200/lost");
  const sweeper = env.SWEEPER.get(env.SWEEPER.newUniqueId());
  await sweeper.start(SHARD);
  const { queue, sent } = newQueue(null);
  await addDelivery(person, id, { dueAt: Date.now() - QUEUE_GRACE_MS });
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    await runInDurableObject(sweeper, async (object) => {
      Object.defineProperty(object, "env", { value: { ...env, DELIVERY_QUEUE: queue, SLOW_DELIVERY_QUEUE: queue } });
      await object.alarm();
    });
    await evictDurableObject(sweeper);
  }
  expect(sent).toHaveLength(1);
});

test("a retry in up to 15 seconds is a delayed message, and a later one is no message", async () => {
  const { queue, sent } = newQueue(null);
  const nowMs = Date.now();
  const deps = {
    ...(await createDeps(env, createExecutionContext())),
    deliveryQueues: onePair(queue),
    now: () => nowMs,
  };
  const retryIn = (ms: number) => ({ queue: "", dueAt: nowMs + ms, id: `in ${ms}`, subscriptionId: "s", bytes: 1 });
  const retries = [5_500, 15_000, 15_001, HOUR_MS].map(retryIn);
  await enqueueLater(deps, "slow", SHARD, retries, LONGEST_MESSAGE_DELAY_MS);
  expect(sent.map(({ body, delaySeconds }) => [body.due.map(({ id }) => id), delaySeconds])).toEqual([
    [["in 5500"], 5],
    [["in 15000"], 15],
  ]);
});
