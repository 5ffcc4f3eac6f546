/** Retry schedules and 410 through the engine. */
import { describe, expect, test, vi } from "vitest";
import { call, signUp } from "../support/client";
import { addDelivery, consumeBatch, keyNow, makeDue, messageFor, newDelivery, outboxRow } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const send = (...keys: Parameters<typeof messageFor>) => consumeBatch([messageFor(...keys)], "postern-deliveries-slow");
const errorsOf = async (webhookId: string) => {
  const { results } = await deliveryDb
    .prepare("SELECT error FROM attempts WHERE subscription_id = ? ORDER BY attempted_at, attempt_count")
    .bind(webhookId)
    .all<{ error: string | null }>();
  return results.map(({ error }) => error);
};

describe("a change of the schedule", () => {
  test("holds for waits computed afterwards, and an open delivery keeps its due time", async () => {
    const { person, webhookId, key } = await newDelivery("500", { delivery: { retry: { schedule: [600, 600] } } });
    await send(key);
    const before = await outboxRow(key);
    await call("PATCH", `/webhooks/${webhookId}`, {
      token: person.token,
      body: { delivery: { retry: { schedule: [3_600, 3_600] } } },
    });
    expect(await outboxRow(key)).toEqual(before);
    await send(await makeDue(key));
    const after = await outboxRow(key);
    expect((after?.due_at ?? 0) - Date.now()).toBeGreaterThan(3_590_000);
  });

  test("to fewer attempts than were made ends the delivery at its next turn, unsent", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("500", {
      delivery: { retry: { schedule: [5, 5, 5] } },
    });
    await send(key);
    await send(await makeDue(key));
    await call("PATCH", `/webhooks/${webhookId}`, {
      token: person.token,
      body: { delivery: { retry: { schedule: [] } } },
    });
    await send(await makeDue(key));
    expect(await outboxRow(key)).toBeNull();
    expect(await inbox.received()).toHaveLength(2);
    expect(await errorsOf(webhookId)).toEqual(["status 500", "status 500", "exhausted"]);
  });
});

test("an empty schedule makes one attempt", async () => {
  const { webhookId, key } = await newDelivery("500", { delivery: { retry: { schedule: [] } } });
  await send(key);
  expect(await outboxRow(key)).toBeNull();
  expect(await errorsOf(webhookId)).toEqual(["status 500"]);
});

test("a wait for Retry-After stands in the outbox", async () => {
  const { key } = await newDelivery("after-500-7200", { delivery: { retry: { schedule: [5] } } });
  await send(key);
  expect(((await outboxRow(key))?.due_at ?? 0) - Date.now()).toBeGreaterThan(7_190_000);
});

test("webhook-delivery: abort ends a delivery where the option says so", async () => {
  const { webhookId, key } = await newDelivery("abort", { delivery: { retry: { abortHeader: true } } });
  await send(key);
  expect(await outboxRow(key)).toBeNull();
  expect(await errorsOf(webhookId)).toEqual(["aborted"]);
  const other = await newDelivery("abort");
  await send(other.key);
  expect(await outboxRow(other.key)).toMatchObject({ attempts: 1 });
});

describe("410", () => {
  const options = { delivery: { retry: { schedule: [5] } } };
  const get = async (person: { token: string }, id: string) =>
    (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
  const goneSinceSecondsAgo = (id: string, seconds: number) =>
    deliveryDb
      .prepare("UPDATE subscriptions SET gone_since = ? WHERE id = ?")
      .bind(Date.now() - seconds * 1000, id)
      .run();

  test("once ends its delivery and leaves the subscription enabled", async () => {
    const { person, webhookId, key } = await newDelivery("410", options);
    await send(key);
    expect(await outboxRow(key)).toBeNull();
    expect(await errorsOf(webhookId)).toEqual(["gone"]);
    const shown = await get(person, webhookId);
    expect(shown).toMatchObject({ enabled: true, version: 0 });
    expect(shown).not.toHaveProperty("disabled");
  });

  test.each([
    [59_999, true],
    [60_000, false],
  ])("twice, %i ms apart, leaves it enabled: %j", async (apartMs, enabled) => {
    const firstMs = Date.now();
    const at = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });
    try {
      at(firstMs);
      const { person, webhookId, key } = await newDelivery("410", options);
      await send(key);
      at(firstMs + apartMs);
      await send(await addDelivery(person, webhookId));
      expect((await get(person, webhookId)).enabled).toBe(enabled);
    } finally {
      vi.useRealTimers();
    }
  });

  test("twice with a success between leaves it enabled", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("gone-1").url, options);
    await send(await addDelivery(person, id));
    await goneSinceSecondsAgo(id, 3_600);
    await send(await addDelivery(person, id));
    await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { url: newInbox("410").url } });
    await send(await addDelivery(person, id));
    expect((await get(person, id)).enabled).toBe(true);
  });

  test("of another URL does not count", async () => {
    const { person, webhookId, key } = await newDelivery("410", options);
    await send(key);
    await goneSinceSecondsAgo(webhookId, 3_600);
    await call("PATCH", `/webhooks/${webhookId}`, { token: person.token, body: { url: newInbox("410").url } });
    await send(await addDelivery(person, webhookId));
    expect((await get(person, webhookId)).enabled).toBe(true);
  });

  test("a disabled subscription gets no event, says why, and starts afresh when it is resumed", async () => {
    // Without a schedule, which would hold its deliveries.
    const { person, webhookId, key } = await newDelivery("410", { delivery: { retry: { onGone: "disable" } } });
    await send(key);
    await goneSinceSecondsAgo(webhookId, 60);
    await send(await addDelivery(person, webhookId));
    expect(await get(person, webhookId)).toMatchObject({
      enabled: false,
      version: 1,
      disabled: { reason: "gone", at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    const published = await call("POST", "/events", {
      token: person.token,
      body: { type: "OrderPaid", payload: 1 },
    });
    expect(published.body.data.deliveries).toBe(0);
    await call("POST", `/webhooks/${webhookId}/resume`, { token: person.token });
    const resumed = await get(person, webhookId);
    expect(resumed).toMatchObject({ enabled: true, version: 2 });
    expect(resumed).not.toHaveProperty("disabled");
    await send(await addDelivery(person, webhookId));
    expect((await get(person, webhookId)).enabled).toBe(true);
  });

  test("changes nothing without options: three attempts, and the subscription stays enabled", async () => {
    const { person, webhookId, key } = await newDelivery("410");
    await send(key);
    await goneSinceSecondsAgo(webhookId, 3_600);
    await send(await makeDue(await keyNow(key)));
    expect(await errorsOf(webhookId)).toEqual(["status 410", "status 410"]);
    expect((await get(person, webhookId)).enabled).toBe(true);
  });
});
