/** New deliveries that are far from their starts are put off without being claimed, and hold up nobody. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DeliveryMessage } from "../../src/base/messages";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { type Person, signUpVerified } from "../support/client";
import { controlledDeps, onePair } from "../support/controlled";
import { addDelivery, type Key, outboxRow } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

beforeEach(() => {
  memory.clear();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => vi.useRealTimers());

/** One start in five seconds. */
const GAP_MS = 5_000;
const LIMITS = { rateLimit: { limit: 12, per: "minute" } };

async function limited() {
  const person = await signUpVerified();
  return { person, id: await subscribe(person, newInbox("200").url, { delivery: LIMITS }) };
}

const add = async (person: Person, id: string, count: number): Promise<Key[]> => {
  const keys: Key[] = [];
  for (let n = 0; n < count; n += 1) keys.push(await addDelivery(person, id));
  return keys;
};

const withShard = (keys: readonly Key[]) => keys.map((key) => ({ ...key, shard: SHARD }));

/** Delivers in one run of its own. Returns the calls to D1, by name. */
async function deliver(keys: readonly Key[], before: (name: string) => Promise<void> = async () => undefined) {
  const calls: string[] = [];
  const { deps, ended } = await controlledDeps(async (name, call) => {
    calls.push(name);
    await before(name);
    return call();
  });
  const sent: MessageSendRequest<DeliveryMessage>[] = [];
  const queue = {
    sendBatch: async (messages: Iterable<MessageSendRequest<DeliveryMessage>>) => void sent.push(...messages),
  } as unknown as Queue<DeliveryMessage>;
  const run = new DeliveryRun({ ...deps, deliveryQueues: onePair(queue) }, "fast");
  const failed = await run.add(withShard(keys));
  await run.finished();
  await ended();
  return { calls, failed, sent };
}

const countOf = (calls: readonly string[], name: string) => calls.filter((call) => call === name).length;

const waits = async (keys: readonly Key[]) => (await Promise.all(keys.map(outboxRow))).map((row) => row?.due_at ?? 0);

const claimedOnce = async (id: string) =>
  (
    await deliveryDb
      .prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ? AND status <> 'moved'")
      .bind(id)
      .first<{ n: number }>()
  )?.n;

test("behind a long line 150 deliveries take one call to D1, no claim and no attempt, and have distinct starts", async () => {
  const { person, id } = await limited();
  await deliver(await add(person, id, 3));
  const keys = await add(person, id, 150);
  const { calls, failed, sent } = await deliver(keys);
  expect(calls).toEqual(["postponeNew"]);
  expect(failed).toEqual([]);
  const starts = await waits(keys);
  expect(new Set(starts).size).toBe(150);
  expect(Math.min(...starts)).toBeGreaterThan(Date.now() + 2 * GAP_MS);
  expect(await claimedOnce(id)).toBe(1);
  const earlyMs = ({ body, delaySeconds = 0 }: (typeof sent)[number]) =>
    Math.max(...body.due.map(({ dueAt }) => dueAt - Date.now() - delaySeconds * 1_000));
  expect(sent.flatMap(({ body }) => body.due)).toHaveLength(150);
  expect(Math.max(...sent.map(earlyMs)), "no handler waits for a message that is early").toBeLessThanOrEqual(0);
});

test("what is healthy in the same batch is sent before the others are put off", async () => {
  const { person, id } = await limited();
  const inbox = newInbox("200");
  const healthyId = await subscribe(person, inbox.url);
  await deliver(await add(person, id, 3));
  const far = await add(person, id, 60);
  const healthy = await add(person, healthyId, 2);
  const { calls } = await deliver([...far, ...healthy], async (name) => {
    if (name === "postponeNew") await inbox.arrived(2);
  });
  expect(calls).toContain("postponeNew");
  expect(await Promise.all(healthy.map(outboxRow))).toEqual([null, null]);
  expect(Math.min(...(await waits(far)))).toBeGreaterThan(Date.now());
});

test("a test behind a long line is claimed, and so is what somebody has claimed or let wait already", async () => {
  const { person, id } = await limited();
  await deliver(await add(person, id, 3));
  const [test, waited, plain] = await add(person, id, 3);
  if (!test || !waited || !plain) throw new Error("nothing added");
  await deliveryDb.prepare("UPDATE outbox SET kind = 'test' WHERE id = ?").bind(test.id).run();
  await deliveryDb.prepare("UPDATE outbox SET slot_at = due_at WHERE id = ?").bind(waited.id).run();
  const { calls } = await deliver([test, waited, plain]);
  expect(countOf(calls, "claimDeliveries")).toBe(1);
  expect(countOf(calls, "postponeNew")).toBe(1);
  const [ofTest = 0, , ofPlain = 0] = await waits([test, waited, plain]);
  expect(ofTest).toBeLessThanOrEqual(Date.now() + GAP_MS);
  expect(ofPlain).toBeGreaterThan(Date.now() + 2 * GAP_MS);
});

test("after a change of the limits nothing waits under the old ones", async () => {
  const { person, id } = await limited();
  await deliver(await add(person, id, 3));
  const [key] = await add(person, id, 1);
  if (!key) throw new Error("nothing added");
  await deliveryDb.prepare("UPDATE subscriptions SET options = NULL WHERE id = ?").bind(id).run();
  await deliver([key]);
  expect(await outboxRow(key)).toBeNull();
});
