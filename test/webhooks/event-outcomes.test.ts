/** `GET /events/:id`: why an event did not arrive. */
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { call, eventually, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { consumeAtOnce, makeDue, messageFor } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { storeEvent } from "../support/stored-event";

interface Outcome {
  webhookId: string;
  deliveryId: string;
  state: string;
  reason?: string;
  until?: string;
  attempt?: { error?: string; attemptCount: number };
}

const eventOf = async (person: Person, id: string, query = "") =>
  (await call("GET", `/events/${id}${query}`, { token: person.token })).body;

async function outcomeOf(person: Person, eventId: string, webhookId: string): Promise<Outcome | undefined> {
  const { data } = await eventOf(person, eventId);
  return data.subscriptions.find((outcome: Outcome) => outcome.webhookId === webhookId);
}

const act = (person: Person, webhookId: string, action: string) =>
  call("POST", `/webhooks/${webhookId}/${action}`, { token: person.token });

describe("each subscription that wanted the event is listed", () => {
  test("as delivered, or as waiting for its next attempt, which is due at the time that the log has", async () => {
    const person = await signUp();
    const good = await subscribe(person, newInbox("200").url);
    const bad = await subscribe(person, newInbox("500").url, { delivery: { retry: { schedule: [3600] } } });
    const other = await subscribe(person, newInbox("200").url, { events: ["Other"] });
    const { id } = await publish(person, { order: 1 }, { correlationId: "c-1" });
    await endedAttempts(person, good, 1);
    await endedAttempts(person, bad, 1);
    const { data, nextCursor } = await eventOf(person, id);
    expect(data).toMatchObject({ id, type: "OrderPaid", payload: { order: 1 }, correlationId: "c-1", deliveries: 2 });
    expect(nextCursor).toBeNull();
    expect(data.subscriptions.map(({ webhookId, state, reason }: Outcome) => [webhookId, state, reason])).toEqual([
      [good, "delivered", undefined],
      [bad, "waiting", "retry"],
    ]);
    const due = await deliveryDb
      .prepare("SELECT due_at FROM outbox WHERE subscription_id = ?")
      .bind(bad)
      .first<number>("due_at");
    expect(Date.parse(data.subscriptions[1].until)).toBe(due);
    expect(data.subscriptions[1].attempt.error).toBe("status 500");
    expect(await outcomeOf(person, id, other)).toBeUndefined();
  });

  test("as failed with the last error, and as delivered after a manual retry", async () => {
    const person = await signUp();
    const failing = await subscribe(person, newInbox("500").url, { delivery: { retry: { schedule: [] } } });
    const { id } = await publish(person, 1);
    await endedAttempts(person, failing, 1);
    expect(await outcomeOf(person, id, failing)).toMatchObject({ state: "failed", attempt: { error: "status 500" } });
    const url = newInbox("200").url;
    await call("PATCH", `/webhooks/${failing}`, { token: person.token, body: { url } });
    await act(person, failing, "retry");
    await endedAttempts(person, failing, 2);
    expect(await outcomeOf(person, id, failing)).toMatchObject({ state: "delivered" });
  });

  test("as waiting without an attempt: in the queue, in a backlog, after Retry-After, and put off by a fault of the service", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const queued = await storeEvent(person, [id]);
    expect(await outcomeOf(person, queued.eventId, id)).toMatchObject({ state: "waiting", reason: "queue" });
    await deliveryDb.prepare("UPDATE subscriptions SET secret_sealed = 'x.y.z' WHERE id = ?").bind(id).run();
    await consumeAtOnce([messageFor(...queued.keys)]);
    const putOff = await outcomeOf(person, queued.eventId, id);
    expect(putOff).toMatchObject({ state: "waiting", reason: "queue" });
    expect(Date.parse(putOff?.until ?? "")).toBeGreaterThan(Date.now() + 4 * 60_000);
    await deliveryDb.prepare("UPDATE subscriptions SET has_backlog = 1 WHERE id = ?").bind(id).run();
    const behind = await storeEvent(person, [id], { queue: id });
    expect(await outcomeOf(person, behind.eventId, id)).toMatchObject({ state: "waiting", reason: "backlog" });
    const cooldownUntil = Date.now() + 600_000;
    await deliveryDb.prepare("UPDATE subscriptions SET held_until = ? WHERE id = ?").bind(cooldownUntil, id).run();
    const held = await outcomeOf(person, behind.eventId, id);
    expect(held).toMatchObject({
      state: "waiting",
      reason: "retry-after",
      until: new Date(cooldownUntil).toISOString(),
    });
  });

  test("as held while its subscription is paused and holds", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, { delivery: { onPause: "hold" } });
    await call("POST", `/webhooks/${id}/pause`, { token: person.token });
    const { id: eventId } = await publish(person, 1);
    expect(await outcomeOf(person, eventId, id)).toMatchObject({ state: "waiting", reason: "held" });
  });

  test("as waiting for its start, which is given as `until`, before the first attempt and before a retry", async () => {
    const person = await signUpVerified();
    const delivery = { rateLimit: { limit: 1, per: "hour" }, retry: { schedule: [1] } };
    const id = await subscribe(person, newInbox("500").url, { delivery });
    const retried = await publish(person, 1);
    await endedAttempts(person, id, 1);
    const first = await publish(person, 2);
    for (const event of [retried, first]) {
      const outcome = await eventually("its start", async () => {
        const found = await outcomeOf(person, event.id, id);
        return found?.reason === "limit" && found;
      });
      const slotAt = await deliveryDb
        .prepare("SELECT slot_at FROM outbox WHERE subscription_id = ? AND event_id = ?")
        .bind(id, event.id)
        .first<number>("slot_at");
      expect([outcome.state, Date.parse(outcome.until ?? "")]).toEqual(["waiting", slotAt]);
    }
  });

  test("as waiting when its page of a wide fan-out was created later, or has not been created yet", async () => {
    const person = await signUp();
    const ids = [await subscribe(person, newInbox("200").url), await subscribe(person, newInbox("200").url)].sort();
    const [first = "", second = ""] = ids;
    const { eventId, keys } = await storeEvent(person, [first]);
    await deliveryDb
      .prepare("UPDATE events SET fan_out_after = ?, delivery_count = 2 WHERE id = ?")
      .bind(first, eventId)
      .run();
    await deliveryDb.prepare("UPDATE outbox SET due_at = due_at + 1000 WHERE id = ?").bind(keys[0]?.id).run();
    expect(await outcomeOf(person, eventId, first)).toMatchObject({ state: "waiting", reason: "queue" });
    expect(await outcomeOf(person, eventId, second)).toMatchObject({ state: "waiting", reason: "fan-out" });
    await deliveryDb.prepare("UPDATE events SET fan_out_after = NULL WHERE id = ?").bind(eventId).run();
  });

  test("as skipped: paused at that time and resumed since, created later, deleted since", async () => {
    const person = await signUp();
    const url = newInbox("200").url;
    const [paused, deleted, before] = [
      await subscribe(person, url),
      await subscribe(person, url),
      await subscribe(person, url),
    ];
    await act(person, paused, "pause");
    await call("DELETE", `/webhooks/${before}`, { token: person.token });
    const { eventId } = await storeEvent(person, [deleted]);
    await act(person, paused, "resume");
    const later = await subscribe(person, url);
    await call("DELETE", `/webhooks/${deleted}`, { token: person.token });
    expect(await outcomeOf(person, eventId, paused)).toMatchObject({ state: "skipped", reason: "paused" });
    expect(await outcomeOf(person, eventId, later)).toMatchObject({ state: "skipped", reason: "created-later" });
    expect(await outcomeOf(person, eventId, deleted)).toMatchObject({ state: "skipped", reason: "deleted" });
    expect(await outcomeOf(person, eventId, before)).toBeUndefined();
  });

  test("by the types that it listed when the event was published", async () => {
    const person = await signUp();
    const url = newInbox("200").url;
    const [wanted, wants] = [await subscribe(person, url), await subscribe(person, url, { events: ["Other"] })];
    const { eventId } = await storeEvent(person, [], { at: Date.now() - 100_000 });
    for (const [id, events] of [
      [wanted, ["Other"]],
      [wants, ["OrderPaid"]],
    ] as const) {
      await deliveryDb.prepare("UPDATE subscriptions SET created_at = created_at - 200000 WHERE id = ?").bind(id).run();
      await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { events } });
    }
    expect((await outcomeOf(person, eventId, wanted))?.state).toBe("waiting");
    expect(await outcomeOf(person, eventId, wants)).toBeUndefined();
  });

  test("and nobody but the tested subscription for the event of a test", async () => {
    const person = await signUp();
    const [tested, other] = [
      await subscribe(person, newInbox("200").url, { events: ["*"] }),
      await subscribe(person, newInbox("200").url, { events: ["*"] }),
    ];
    await act(person, tested, "test");
    await endedAttempts(person, tested, 1);
    const { body } = await call("GET", "/events?type=WebhookTested", { token: person.token });
    const { data } = await eventOf(person, body.data[0].id);
    expect(data.subscriptions).toHaveLength(1);
    expect(data.subscriptions[0]).toMatchObject({ webhookId: tested, state: "delivered" });
    expect(await outcomeOf(person, body.data[0].id, other)).toBeUndefined();
  });
});

test("a put-off delivery is sent when it is due", async () => {
  const person = await signUp();
  const inbox = newInbox("200");
  const id = await subscribe(person, inbox.url);
  const { eventId, keys } = await storeEvent(person, [id]);
  const [key] = keys;
  if (!key) throw new Error("no delivery");
  const sealed = await deliveryDb
    .prepare("SELECT secret_sealed FROM subscriptions WHERE id = ?")
    .bind(id)
    .first("secret_sealed");
  await deliveryDb.prepare("UPDATE subscriptions SET secret_sealed = 'x.y.z' WHERE id = ?").bind(id).run();
  await consumeAtOnce([messageFor(key)]);
  await deliveryDb.prepare("UPDATE subscriptions SET secret_sealed = ? WHERE id = ?").bind(sealed, id).run();
  await consumeAtOnce([messageFor(await makeDue(key))]);
  expect(await inbox.arrived(1)).toHaveLength(1);
  expect(await outcomeOf(person, eventId, id)).toMatchObject({ state: "delivered", deliveryId: key.id });
});

test("subscriptions come in pages, and every one is on exactly one of them", async () => {
  const person = await signUpVerified();
  const now = Date.now();
  const made = Array.from({ length: 203 }, () => newIdAt(now - 10_000));
  const first = await subscribe(person, newInbox("200").url);
  await deliveryDb
    .prepare(
      `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
        updated_at)
       SELECT j.value, s.tenant_id, 'n', s.url, s.events, '', '', 1, s.created_at - 5000 + (j.key % 3), s.updated_at
         FROM json_each(?) j CROSS JOIN subscriptions s WHERE s.id = ?`,
    )
    .bind(JSON.stringify(made), first)
    .run();
  const { eventId } = await storeEvent(person, []);
  const seen: string[] = [];
  let query = "";
  for (let pages = 0; pages < 4 && query !== "end"; pages += 1) {
    const { data, nextCursor } = await eventOf(person, eventId, query);
    seen.push(...data.subscriptions.map(({ webhookId }: Outcome) => webhookId));
    query = nextCursor === null ? "end" : `?cursor=${nextCursor}`;
  }
  expect(query).toBe("end");
  expect(seen.length).toBe(204);
  expect(new Set(seen)).toEqual(new Set([...made, first]));
});

test("only the store of lanes pauses and enables subscriptions, and it keeps the former state", () => {
  const stores = import.meta.glob("../../src/**/*store.ts", { query: "?raw", import: "default", eager: true });
  const switching = Object.entries(stores).filter(([, text]) =>
    /UPDATE subscriptions (?:AS s )?SET (?:(?!WHERE)[^`])*\benabled = [01]|\benabled: sql`[01]`/.test(String(text)),
  );
  expect(switching.map(([path]) => path)).toEqual(["../../src/webhooks/plane/lane-store.ts"]);
  expect(switching.map(([, text]) => String(text).includes("withFormerState("))).toEqual([true]);
});

test("the console's page of an event says why it did not arrive", async () => {
  const person = await signUp();
  const paused = await subscribe(person, newInbox("200").url, { name: "Sleepy" });
  await act(person, paused, "pause");
  const { id } = await publish(person, 1);
  const browser = await holding(person);
  const { html } = await browser.get(`/events/${id}`);
  expect(html).toContain("Who wanted it");
  expect(html).toContain("Sleepy");
  expect(html).toContain("The subscription was paused when the event was published.");
});
