/**
 * Subscriptions with a rate limit or a limit of concurrency, at a real receiver: what arrives, when, and what it costs
 * the others.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { SubscriptionThrottle } from "../../src/webhooks/delivery/throttling/durable-object";
import { call, eventually, type Person, signUp, verify } from "../support/client";
import {
  addDelivery,
  consumeAtOnce,
  consumeBatch,
  keyNow,
  messageFor,
  metricsOf,
  outboxRow,
  sweepNow,
} from "../support/engine";
import { captureLog } from "../support/log-lines";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const captured = captureLog();
/** What a busy machine may need: a send that is too late for its start gets another. */
const WITHIN_MS = 60_000;
vi.setConfig({ testTimeout: 4 * WITHIN_MS });
/** A request may arrive a little later than another that was sent after it. */
const NETWORK = 1;
/** What any window of a unit may have: one and a tenth more than the limit. */
const mostOf = (limit: number) => Math.floor(limit * 1.1 + 1) + NETWORK;

const throttleOf = (id: string) => env.SUBSCRIPTION_GATE.get(env.SUBSCRIPTION_GATE.idFromName(id));

async function limited(behaviour: string, delivery: object) {
  const person = await signUp();
  await verify(person.email);
  const inbox = newInbox(behaviour);
  return { person, inbox, id: await subscribe(person, inbox.url, { delivery }) };
}

async function publishMany(person: Person, count: number): Promise<void> {
  for (let published = 0; published < count; published += 100) {
    const events = Array.from({ length: Math.min(100, count - published) }, (_, n) => ({
      type: "OrderPaid",
      payload: published + n,
    }));
    const answer = await call("POST", "/events/batch", { token: person.token, body: { events } });
    expect(answer.status).toBe(202);
  }
}

const change = async (person: Person, id: string, delivery: unknown) => {
  const answer = await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { delivery } });
  expect(answer.status).toBe(200);
};

/** The most requests that arrived within any window of this length. */
function mostIn(windowMs: number, received: readonly { at: number }[]): number {
  const times = received.map(({ at }) => at).sort((a, b) => a - b);
  return Math.max(...times.map((time) => times.filter((other) => other >= time && other < time + windowMs).length));
}

/** The most requests that the receiver had in progress, by its own count. Their times say less: clocks are set. */
const mostInProgress = (received: readonly { inProgress?: number }[]): number =>
  Math.max(...received.map(({ inProgress = Infinity }) => inProgress));

const realNow = Date.now;
let clock = vi.spyOn(Date, "now");
clock.mockRestore();
afterEach(() => clock.mockRestore());

/** Turns the clock of the service forward. It goes on from there. The receiver's clock stays. */
const turnClock = (ms: number) => {
  clock = vi.spyOn(Date, "now").mockImplementation(() => realNow() + ms);
};

/**
 * Sweeps again and again, as the service does. While messages of other deliveries wait in the queue, a sweep takes
 * nothing for lost.
 */
const arrivedWithSweeps = (inbox: ReturnType<typeof newInbox>, count: number) =>
  eventually(
    `${count} deliveries`,
    async () => {
      await sweepNow();
      const received = await inbox.received();
      return received.length >= count && received;
    },
    WITHIN_MS,
  );

const waitingRow = (id: string) =>
  deliveryDb
    .prepare("SELECT due_at, slot_at FROM outbox WHERE subscription_id = ? AND slot_at >= due_at")
    .bind(id)
    .first<{ due_at: number; slot_at: number }>();

const attemptsOf = async (id: string) =>
  (
    await deliveryDb
      .prepare("SELECT status, attempt_count FROM attempts WHERE subscription_id = ? AND status <> 'moved'")
      .bind(id)
      .all<{ status: string; attempt_count: number }>()
  ).results;

test("no second has more than the limit, one and a tenth; every event arrives once with one attempt, and a neighbour has no throttle", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 20, per: "second" } });
  const neighbour = newInbox("200");
  const neighbourId = await subscribe(person, neighbour.url);
  await publishMany(person, 50);
  await neighbour.arrived(50, WITHIN_MS);
  const received = await inbox.arrived(50, WITHIN_MS);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(mostOf(20));
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(50);
  await eventually(
    "all recorded",
    async () => (await attemptsOf(id)).every(({ status }) => status === "success"),
    WITHIN_MS,
  );
  expect((await attemptsOf(id)).map((attempt) => attempt.attempt_count)).toEqual(Array(50).fill(1));
  expect(received).toHaveLength(50);
  await runInDurableObject(throttleOf(neighbourId), async (_: SubscriptionThrottle, { storage }) => {
    expect((await storage.list()).size).toBe(0);
  });
});

test("retries count, and a throttle that is evicted on the way forgets nothing", async () => {
  // More than any delivery should need: the receiver fails the first requests, whichever deliveries these are.
  const retry = { schedule: [1, 1, 1, 1, 1] };
  const { person, inbox, id } = await limited("fail-15", { rateLimit: { limit: 10, per: "second" }, retry });
  await publishMany(person, 25);
  for (const count of [5, 20]) {
    await inbox.arrived(count, WITHIN_MS);
    await evictDurableObject(throttleOf(id));
  }
  const received = await inbox.arrived(40, WITHIN_MS);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(mostOf(10));
  await eventually(
    "25 successes",
    async () => {
      const attempts = await attemptsOf(id);
      return attempts.filter(({ status }) => status === "success").length === 25;
    },
    WITHIN_MS,
  );
  expect(await inbox.received()).toHaveLength(40);
});

test("a lowered limit holds for what waits, the metrics count it, and without a limit everything goes out at once", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 10, per: "second" } });
  await publishMany(person, 200);
  await inbox.arrived(5, WITHIN_MS);
  await change(person, id, { rateLimit: { limit: 2, per: "second" } });
  const before = (await inbox.received()).length;
  await eventually("all to wait", async () => (await metricsOf(person, id)).throttle.waiting > 20, WITHIN_MS);
  const { throttle } = await metricsOf(person, id);
  expect(Date.parse(throttle.nextSlotAt)).toBeGreaterThan(Date.now() - WITHIN_MS);
  const slow = await inbox.arrived(before + 5, WITHIN_MS);
  // What the throttle had let start under the old limit arrives within two seconds.
  const changedAt = slow[before]?.at ?? 0;
  const later = slow.filter(({ at }) => at > changedAt + 2_000);
  expect(later.length === 0 ? 0 : mostIn(1_000, later)).toBeLessThanOrEqual(mostOf(2));
  await change(person, id, { rateLimit: null });
  await arrivedWithSweeps(inbox, 200);
  expect(await metricsOf(person, id)).not.toHaveProperty("throttle");
});

test("a raised limit holds for what waits", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 1, per: "minute" } });
  await publishMany(person, 40);
  await inbox.arrived(1, WITHIN_MS);
  await eventually("39 to wait", async () => (await metricsOf(person, id)).throttle.waiting === 39, WITHIN_MS);
  await change(person, id, { rateLimit: { limit: 20, per: "second" } });
  const received = await inbox.arrived(40, WITHIN_MS);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(mostOf(20));
});

test.each([1, 2])(
  "with maxConcurrent %i a slow receiver never has more requests at the same time, and gets all of them",
  async (most) => {
    const { person, inbox } = await limited("slow-300", { maxConcurrent: most });
    await publishMany(person, 8);
    const received = await inbox.arrived(8, WITHIN_MS);
    expect(mostInProgress(received)).toBeLessThanOrEqual(most);
    expect(received).toHaveLength(8);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(8);
  },
);

test("with both limits neither is exceeded, and all arrive", async () => {
  const { person, inbox } = await limited("slow-300", { rateLimit: { limit: 2, per: "second" }, maxConcurrent: 1 });
  await publishMany(person, 6);
  const received = await inbox.arrived(6, WITHIN_MS);
  expect(mostInProgress(received)).toBe(1);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(mostOf(2));
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(6);
});

test("a start that is further away than a queue delays messages is found by the sweep, and not made before its time", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 1, per: "hour" } });
  await publishMany(person, 2);
  await inbox.arrived(1, WITHIN_MS);
  const row = await eventually("the wait", () => waitingRow(id));
  expect(row.slot_at - Date.now()).toBeGreaterThan(50 * 60_000);
  expect(row.due_at).toBe(row.slot_at);
  const forwardMs = row.slot_at - 4_000 - Date.now();
  turnClock(forwardMs);
  const [, second] = await arrivedWithSweeps(inbox, 2);
  expect(second?.at).toBeGreaterThanOrEqual(row.slot_at - forwardMs);
});

/** What a run that dies has asked for. */
const asked = (id: string) => ({
  demands: [{ id, priority: "new" as const }],
  ended: [],
  called: [],
  holder: "a run that dies",
  latestMs: Date.now() + 1_000,
});

test("the permit of a run that died is free after its lease", async () => {
  const { person, inbox, id } = await limited("200", { maxConcurrent: 1 });
  await throttleOf(id).schedule({ maxConcurrent: 1 }, asked(crypto.randomUUID()));
  await publishMany(person, 1);
  await eventually("the wait", () => waitingRow(id));
  expect(await inbox.received()).toEqual([]);
  turnClock(30_000);
  await arrivedWithSweeps(inbox, 1);
});

test("a delivery that a run was about to start when it died is sent by another", async () => {
  const rateLimit = { limit: 10, per: "second" } as const;
  const { person, inbox, id } = await limited("200", { rateLimit });
  const key = await addDelivery(person, id);
  expect(await throttleOf(id).schedule({ rateLimit }, asked(key.id))).toMatchObject([{ kind: "start" }]);
  await consumeBatch([messageFor(key)]);
  await inbox.arrived(1, WITHIN_MS);
});

test("with maxConcurrent 1 a receiver that takes 9 seconds gets the second request after the first has ended", async () => {
  const { person, inbox } = await limited("slow-9000", { maxConcurrent: 1 });
  await publishMany(person, 2);
  const [first, second] = await inbox.arrived(2, 2 * WITHIN_MS);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(9_000);
});

test("a test goes before everything that waits", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 2, per: "second" } });
  await publishMany(person, 30);
  await inbox.arrived(1, WITHIN_MS);
  await call("POST", `/webhooks/${id}/test`, { token: person.token });
  await eventually(
    "the test",
    async () => (await inbox.received()).some(({ headers }) => headers["x-webhook-event"] === "WebhookTested"),
    WITHIN_MS,
  );
  const received = await inbox.received();
  expect(received.length).toBeLessThan(20);
  expect(mostIn(1_000, received)).toBeLessThanOrEqual(mostOf(2));
});

test("fifty calls at once get distinct starts", async () => {
  const throttle = throttleOf(crypto.randomUUID());
  const limits = { rateLimit: { limit: 10, per: "second" } } as const;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => throttle.schedule(limits, asked(`d${n}`))));
  const times = answers.flat().map((answer) => (answer.kind === "start" ? answer.atMs : answer.untilMs));
  expect(
    mostIn(
      1_000,
      times.map((at) => ({ at })),
    ),
  ).toBe(10);
  expect(new Set(times).size).toBe(50);
});

test("without its throttle nothing is sent: the delivery waits 5 seconds, with no attempt used and one line in the log", async () => {
  const { person, inbox, id } = await limited("200", { rateLimit: { limit: 10, per: "second" } });
  const key = await addDelivery(person, id);
  const unreachable = {
    ...env.SUBSCRIPTION_GATE,
    idFromName: () => env.SUBSCRIPTION_GATE.newUniqueId(),
    get: () => ({ schedule: () => Promise.reject(new Error("unreachable")) }),
  } as unknown as typeof env.SUBSCRIPTION_GATE;
  const atMs = Date.now();
  await consumeAtOnce([messageFor(key)], "postern-deliveries", { SUBSCRIPTION_GATE: unreachable });
  const row = await outboxRow(key);
  expect(row?.due_at).toBeGreaterThanOrEqual(atMs + 5_000);
  expect(row).toMatchObject({ attempts: 0 });
  expect(await attemptsOf(id)).toEqual([]);
  expect(captured.lines("throttle not reached").filter(({ webhookId }) => webhookId === id)).toMatchObject([
    { count: 1, cause: "unreachable" },
  ]);
  await deliveryDb.prepare("UPDATE outbox SET due_at = ? WHERE id = ?").bind(atMs, key.id).run();
  await consumeBatch([messageFor(await keyNow(key))]);
  await inbox.arrived(1, WITHIN_MS);
});
