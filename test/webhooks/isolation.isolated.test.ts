/**
 * Nobody waits for somebody else's receiver. No receiver answers here, and the clock stands still unless a test turns
 * it: whoever waits for an answer, or for a threshold of time that others must pass, waits for ever.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { FIRST_WIDTH } from "../../src/webhooks/delivery/lanes/width";
import { MOST_OF_TENANT, noteRest } from "../../src/webhooks/delivery/places";
import { PATIENCE_MS, WATCH_EVERY_MS } from "../../src/webhooks/plane/timing";
import { eventually, type Person, signUpVerified } from "../support/client";
import { addDelivery, type Key } from "../support/engine";
import { localBroker } from "../support/local-broker";
import { newInbox, subscribe } from "../support/receiver";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  memory.clear();
});

const subscription = (person: Person) => subscribe(person, newInbox("200").url);

async function deliveries(person: Person, webhookId: string, count: number): Promise<Key[]> {
  const keys: Key[] = [];
  while (keys.length < count) keys.push({ ...(await addDelivery(person, webhookId)), tenantId: person.tenantId });
  return keys;
}

/** Deliveries to `count` subscriptions of one tenant. */
async function wide(person: Person, count: number): Promise<Key[]> {
  const keys: Key[] = [];
  while (keys.length < count) keys.push(...(await deliveries(person, await subscription(person), 1)));
  return keys;
}

describe.each(["fast", "slow"] as const)("in the %s queue, beside receivers that do not answer", (speed) => {
  test("an event of another tenant, and one of another subscription of the same, are sent after the first few", async () => {
    const [slow, other] = [await signUpVerified(), await signUpVerified()];
    const many = await deliveries(slow, await subscription(slow), 130);
    const [same, narrow] = [...(await wide(slow, 1)), ...(await wide(other, 1))];
    const broker = await localBroker();
    broker.send(speed, many);
    broker.send(
      speed,
      [same, narrow].filter((key) => key !== undefined),
    );
    await eventually("the others", async () => [same, narrow].every((key) => broker.sent.includes(key?.id ?? "")));
    expect(broker.sent.length).toBeLessThanOrEqual(FIRST_WIDTH + 2);
    await broker.end();
  });

  test("an event in the same batch as those of fifty subscriptions of one tenant is among the first", async () => {
    const [slow, other] = [await signUpVerified(), await signUpVerified()];
    const [many, few] = [await wide(slow, 50), await wide(other, 1)];
    const broker = await localBroker();
    broker.send(speed, [...many, ...few]);
    await eventually("the other", async () => broker.sent.includes(few[0]?.id ?? ""));
    if (speed === "fast") expect(broker.sent.length).toBeLessThanOrEqual(5);
    await broker.end();
  });

  test("a tenant has no more in progress than its share and its reserve, however many subscriptions it has", async () => {
    const slow = await signUpVerified();
    memory.places.share.ofTenants.set(slow.tenantId, MOST_OF_TENANT - 2);
    memory.places.reserve.ofTenants.set(slow.tenantId, MOST_OF_TENANT - 1);
    const many = await wide(slow, 10);
    const broker = await localBroker();
    broker.send(speed, many);
    await eventually("the first", async () => broker.sent.length === 3);
    await scheduler.wait(2 * WATCH_EVERY_MS);
    expect(broker.sent).toHaveLength(3);
    memory.places.share.ofTenants.delete(slow.tenantId);
    memory.places.reserve.ofTenants.delete(slow.tenantId);
    await broker.end();
  });

  test("an idle subscription is sent its event before the backlogs of ten siblings that have taken their tenant's share", async () => {
    const person = await signUpVerified();
    const backlogs = await wide(person, 10);
    const idle = await wide(person, 1);
    const broker = await localBroker();
    memory.places.share.ofTenants.set(person.tenantId, MOST_OF_TENANT);
    for (const { subscriptionId } of backlogs) noteRest(subscriptionId, Date.now() - 800, Date.now());
    broker.send(speed, backlogs);
    broker.send(speed, idle);
    await eventually("the idle one", async () => broker.sent.length > 0);
    await scheduler.wait(2 * WATCH_EVERY_MS);
    expect(broker.sent).toEqual(idle.map(({ id }) => id));
    memory.places.share.ofTenants.delete(person.tenantId);
    broker.turn(PATIENCE_MS);
    await broker.end();
  });
});

test("an event that shares its batch with those of ten other tenants is sent from another invocation", async () => {
  const keys: Key[] = [];
  for (let tenants = 0; tenants < 11; tenants += 1) keys.push(...(await wide(await signUpVerified(), 1)));
  const broker = await localBroker();
  broker.send("fast", keys);
  await eventually("the first four", async () => broker.sent.length === 4);
  broker.turn(PATIENCE_MS);
  await eventually("all of them", async () => broker.sent.length === keys.length);
  await broker.end();
});

test("what waits for a place of its tenant is queued when it has one, and not before", async () => {
  const person = await signUpVerified();
  const siblings = await wide(person, 10);
  const keys = [...siblings];
  for (const { subscriptionId } of siblings) keys.push(...(await deliveries(person, subscriptionId, 3)));
  const broker = await localBroker();
  memory.places.share.ofTenants.set(person.tenantId, MOST_OF_TENANT - 3);
  memory.places.reserve.ofTenants.set(person.tenantId, MOST_OF_TENANT);
  broker.send("slow", keys);
  await eventually("the first", async () => broker.sent.length === 3);
  while (broker.sent.length < keys.length) {
    broker.turn(PATIENCE_MS);
    await scheduler.wait(1.5 * WATCH_EVERY_MS);
    broker.answer();
    await scheduler.wait(WATCH_EVERY_MS / 2);
  }
  memory.places.share.ofTenants.delete(person.tenantId);
  memory.places.reserve.ofTenants.delete(person.tenantId);
  await broker.end();
  expect(new Set(broker.sent).size).toBe(keys.length);
  expect(Math.max(...broker.queued.values())).toBe(1);
});

test("what has no place waits in the lane of its subscription, and each answer lets the next ones go", async () => {
  const person = await signUpVerified();
  const keys = await deliveries(person, await subscription(person), 100);
  const broker = await localBroker();
  broker.send("fast", keys);
  await eventually("the first", async () => broker.sent.length >= 4);
  broker.turn(PATIENCE_MS);
  await eventually("as many as its width", async () => broker.sent.length === FIRST_WIDTH);
  broker.answer();
  await eventually("more than before", async () => broker.sent.length > 2 * FIRST_WIDTH);
  await broker.end();
  await eventually("all of them", async () => broker.sent.length === keys.length);
  expect(new Set(broker.sent).size).toBe(keys.length);
});
