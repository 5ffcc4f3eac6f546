/**
 * A subscription that answers 429 or 503 with `Retry-After` gets nothing until then, and little at first afterwards.
 */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, eventually, type Person, signUp, verify } from "../support/client";
import { addDelivery, consumeAtOnce, messageFor, newDelivery, outboxRow, sweepNow } from "../support/engine";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const RESPECTS = { delivery: { retry: { respectRetryAfter: true } } };
const send = (...keys: Parameters<typeof messageFor>) =>
  consumeAtOnce([messageFor(...keys)], "postern-deliveries-slow");
const stateOf = (id: string) =>
  deliveryDb
    .prepare("SELECT held_until, has_backlog, slow_until FROM subscriptions WHERE id = ?")
    .bind(id)
    .first<{ held_until: number; has_backlog: number; slow_until: number }>();
const countAttempts = (id: string) =>
  deliveryDb.prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?").bind(id).first<number>("n");
const endHold = (id: string) =>
  deliveryDb.prepare("UPDATE subscriptions SET held_until = 1 WHERE id = ?").bind(id).run();

test.each(["after-429-60", "after-503-60"])(
  "%s holds the other deliveries, and no attempt is used",
  async (behaviour) => {
    const { person, inbox, webhookId, key } = await newDelivery(behaviour, RESPECTS);
    await send(key);
    const other = await addDelivery(person, webhookId);
    await send(other);
    await eventually("the wait of the other", async () => (await outboxRow(other))?.queue === webhookId);
    expect(await outboxRow(other)).toMatchObject({ attempts: 0, attempt_id: null });
    expect(await inbox.received()).toHaveLength(1);
    expect(await countAttempts(webhookId)).toBe(1);
  },
);

test("what is published during a hold waits, and counts as a delivery", async () => {
  const { person, inbox, webhookId, key } = await newDelivery("after-429-60", RESPECTS);
  await send(key);
  expect(await publish(person, 1)).toMatchObject({ deliveries: 1 });
  await sweepNow();
  expect(await inbox.received()).toHaveLength(1);
  expect(await countAttempts(webhookId)).toBe(1);
});

test("a test is sent all the same", async () => {
  const { person, inbox, webhookId, key } = await newDelivery("after-429-60", RESPECTS);
  await send(key);
  await call("POST", `/webhooks/${webhookId}/test`, { token: person.token });
  await inbox.arrived(2);
});

test("a manual retry is sent after the hold, although the subscription is paused and holds deliveries", async () => {
  const { person, inbox, webhookId, key } = await newDelivery("500", { delivery: { onPause: "hold" } });
  await send(key);
  await call("POST", `/webhooks/${webhookId}/pause`, { token: person.token });
  // As a hold leaves it that has ended during the pause.
  await endHold(webhookId);
  await call("POST", `/webhooks/${webhookId}/retry`, { token: person.token });
  await inbox.arrived(2);
});

test.each([
  ["0.2", 1_000],
  ["90", 90_000],
  ["7200", 3_600_000],
])("Retry-After %s holds for %i ms, and the subscription stays slow for 10 minutes more", async (seconds, ms) => {
  const { webhookId, key } = await newDelivery(`after-429-${seconds}`, RESPECTS);
  const beforeMs = Date.now();
  await send(key);
  const state = await stateOf(webhookId);
  expect(state).toMatchObject({ has_backlog: 1, slow_until: (state?.held_until ?? 0) + 600_000 });
  const cooldownMs = (state?.held_until ?? 0) - beforeMs;
  expect(cooldownMs).toBeGreaterThanOrEqual(ms);
  expect(cooldownMs).toBeLessThan(ms + 10_000);
});

test.each([
  ["after-500-60", RESPECTS],
  ["429", RESPECTS],
  ["after-429-60", {}],
  ["after-503-60", { delivery: { retry: { schedule: [5], respectRetryAfter: false } } }],
])("%s with %j holds nothing", async (behaviour, fields) => {
  const { webhookId, key } = await newDelivery(behaviour, fields);
  await send(key);
  expect(await stateOf(webhookId)).toMatchObject({ held_until: 0, has_backlog: 0 });
});

test("when the hold has ended, the sweep sends what waited, and the hold leaves no trace", async () => {
  const { person, inbox, webhookId, key } = await newDelivery("after-429-60", RESPECTS);
  await send(key);
  await send(await addDelivery(person, webhookId), await addDelivery(person, webhookId));
  await eventually("both to wait", async () => {
    const { results } = await deliveryDb.prepare("SELECT id FROM outbox WHERE queue = ?").bind(webhookId).all();
    return results.length === 2;
  });
  await sweepNow();
  expect(await inbox.received()).toHaveLength(1);
  const receiver = newInbox("200");
  await deliveryDb.prepare("UPDATE subscriptions SET url = ? WHERE id = ?").bind(receiver.url, webhookId).run();
  await endHold(webhookId);
  await eventually("both deliveries, and the end of the lane", async () => {
    await sweepNow();
    return (await receiver.received()).length === 2 && (await stateOf(webhookId))?.has_backlog === 0;
  });
  expect(await stateOf(webhookId)).toMatchObject({ held_until: 0 });
});

test("a changed URL ends the hold", async () => {
  const { person, webhookId, key } = await newDelivery("after-429-60", RESPECTS);
  await send(key);
  await call("PATCH", `/webhooks/${webhookId}`, { token: person.token, body: { url: newInbox("200").url } });
  expect(await stateOf(webhookId)).toMatchObject({ held_until: 0 });
});

interface Flood {
  requests: number;
  /** How many were in progress at once after those that may have begun before the first refusal was known. */
  mostInFlight: number;
}

const floodOf = async (url: string): Promise<Flood | null> =>
  (await env.RECEIVER.fetch(`http://floods/${url.split("/").at(-1)}`)).json();

async function publishMany(person: Person, count: number): Promise<void> {
  const events = Array.from({ length: 100 }, (_, n) => ({ type: "OrderPaid", payload: n }));
  for (let published = 0; published < count; published += events.length) {
    const answer = await call("POST", "/events/batch", { token: person.token, body: { events } });
    expect(answer.status).toBe(202);
  }
}

test("of a flood of 1,000 deliveries at most three are in flight after the 429, and only those that were sent have used an attempt", async () => {
  const person = await signUp();
  await verify(person.email);
  const { url } = newInbox("flood-12-1");
  const id = await subscribe(person, url, { delivery: { retry: { schedule: [3_600], respectRetryAfter: true } } });
  await publishMany(person, 1_000);
  await eventually(
    "some to be sent after the hold",
    async () => {
      await sweepNow();
      return ((await floodOf(url))?.requests ?? 0) >= 32;
    },
    60_000,
  );
  // Holds the rest, so that the other 900 need not be sent.
  await deliveryDb
    .prepare("UPDATE subscriptions SET held_until = ?, has_backlog = 1 WHERE id = ?")
    .bind(Date.now() + 3_600_000, id)
    .run();
  const usedOf = () =>
    deliveryDb
      .prepare(
        `SELECT
           (SELECT count(*) FROM attempts WHERE subscription_id = ?1 AND status = 'success') AS delivered,
           (SELECT count(*) FROM attempts WHERE subscription_id = ?1 AND status = 'failed') AS refused,
           (SELECT count(*) FROM attempts WHERE subscription_id = ?1 AND status = 'pending') AS inProgress,
           (SELECT count(*) FROM outbox WHERE subscription_id = ?1 AND attempts = 0) AS unsent,
           (SELECT count(*) FROM outbox WHERE subscription_id = ?1 AND attempts = 1) AS waiting`,
      )
      .bind(id)
      .first<Record<"delivered" | "refused" | "inProgress" | "unsent" | "waiting", number>>();
  const { flood, used } = await eventually("all sends to be recorded", async () => {
    const used = await usedOf();
    const flood = await floodOf(url);
    return used?.inProgress === 0 && used.delivered + used.refused === flood?.requests && { flood, used };
  });
  expect(flood.mostInFlight).toBeGreaterThan(0);
  expect(flood.mostInFlight).toBeLessThanOrEqual(3);
  expect(used).toMatchObject({ waiting: used.refused, unsent: 1_000 - flood.requests });
}, 90_000);
