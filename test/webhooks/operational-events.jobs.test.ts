/** Operational events: what happens to subscriptions, for the subscriptions of the tenant that ask for it. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, messageFor, metricsOf } from "../support/engine";
import { answerWith, attempt, pass, review } from "../support/failing";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const HOUR_MS = 3_600_000;

afterEach(() => void vi.useRealTimers());

/** A person with a subscription that receives the operational events, and its inbox. */
async function listening(events: string[] = ["postern.*"]) {
  const person = await signUpVerified();
  const inbox = newInbox("200");
  const listenerId = await subscribe(person, inbox.url, { name: "Listener", events });
  return { person, inbox, listenerId };
}

/** The operational events of a tenant, oldest first, as they are stored. */
async function written(person: Person) {
  const { results } = await deliveryDb
    .prepare(
      `SELECT type, payload, correlation_id FROM events WHERE tenant_id = ? AND type GLOB 'postern.*'
        ORDER BY created_at, id`,
    )
    .bind(person.tenantId)
    .all<{ type: string; payload: string; correlation_id: string | null }>();
  return results.map(({ type, payload, correlation_id: correlationId }) => ({
    type: type.slice("postern.".length),
    data: JSON.parse(payload),
    correlationId,
  }));
}

const api = (person: Person, method: string, path: string, body?: unknown) =>
  call(method, `/webhooks/${path}`, { token: person.token, body });

test("a change of a subscription publishes an event that names what changed, signed and logged like any other", async () => {
  const { person, inbox, listenerId } = await listening();
  const url = "http://Receiver.example:8080/200/secret?token=1#x";
  const id = await subscribe(person, url, { name: "Orders" });
  await api(person, "PATCH", id, { name: "New name", events: ["A"], enabled: true });
  await api(person, "POST", `${id}/pause`);
  await api(person, "POST", `${id}/pause`);
  await api(person, "POST", `${id}/resume`);
  await api(person, "PATCH", id, { secret: "another secret" });
  await api(person, "PATCH", id, { name: "New name" });
  await api(person, "POST", `${id}/secret/rotate`, { overlapSeconds: 60 });
  await api(person, "DELETE", `${id}/secret/previous`);
  await api(person, "DELETE", `${id}/secret/previous`);
  await api(person, "DELETE", id);
  const about = { webhookId: id, name: "New name", host: "receiver.example:8080" };
  expect(await written(person)).toMatchObject([
    { type: "webhook.created", data: { ...about, name: "Orders" } },
    { type: "webhook.updated", data: { ...about, name: "Orders", changed: ["name", "events"] } },
    { type: "webhook.disabled", data: { ...about, reason: "manual" } },
    { type: "webhook.enabled", data: about },
    { type: "webhook.secret_rotated", data: { ...about, kind: "v1" } },
    { type: "webhook.secret_rotated", data: { ...about, kind: "v1", previousExpiresAt: expect.stringMatching(/Z$/) } },
    { type: "webhook.secret_ended", data: about },
    { type: "webhook.deleted", data: about },
  ]);
  const received = await inbox.arrived(8);
  expect(received.map(({ headers }) => headers["x-webhook-event"])).toContain("postern.webhook.created");
  expect(received.every(({ headers }) => headers["webhook-signature"]?.startsWith("v1,"))).toBe(true);
  expect(JSON.stringify(received.map(({ body }) => body))).not.toContain("token");
  const log = await call("GET", `/webhooks/${listenerId}/logs`, { token: person.token });
  expect(log.body.data.length).toBeGreaterThan(0);
});

test("an event that fails is sent again under the same id, and both attempts are logged", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("fail-1");
  const delivery = { retry: { schedule: [1] } };
  const id = await subscribe(person, inbox.url, { events: ["postern.webhook.created"], delivery });
  await subscribe(person, newInbox("200").url);
  const [first, second] = await inbox.arrived(2);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  await eventually("both attempts", async () => {
    const log = await call("GET", `/webhooks/${id}/logs`, { token: person.token });
    const statuses = log.body.data.map(({ status }: { status: string }) => status);
    return statuses.toSorted().join() === "failed,success";
  });
});

describe("a failing period is told", () => {
  test("at each stage, once", async () => {
    const { person, inbox } = await listening([
      "postern.webhook.failing",
      "postern.webhook.disabled",
      "postern.webhook.recovered",
    ]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const id = await subscribe(person, newInbox("500").url, { name: "Orders" });
    await attempt(person, id, 20);
    for (const hours of [0, 2, 1, 95, 1, 25, 1]) {
      pass(hours * HOUR_MS);
      await review();
      await review();
    }
    await deliveryDb
      .prepare("UPDATE subscriptions SET enabled = 1, disabled_reason = NULL, disabled_at = NULL WHERE id = ?")
      .bind(id)
      .run();
    await answerWith(id, "200");
    await attempt(person, id, 1);
    await review();
    await review();
    const events = await written(person);
    expect(events).toMatchObject([
      { type: "webhook.failing", data: { webhookId: id, failures: 20, failingSince: expect.any(String) } },
      { type: "webhook.failing", data: { webhookId: id, disablesAt: expect.stringMatching(/Z$/) } },
      { type: "webhook.disabled", data: { webhookId: id, reason: "failing" } },
      { type: "webhook.recovered", data: { webhookId: id } },
    ]);
    expect(events[0]?.data).not.toHaveProperty("disablesAt");
    await inbox.arrived(4);
  });

  test("and so is a URL that is gone", async () => {
    const { person } = await listening();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const id = await subscribe(person, newInbox("410").url, { delivery: { retry: { onGone: "disable" } } });
    for (const waitMs of [0, 61_000]) {
      pass(waitMs);
      await consumeBatch([messageFor(await addDelivery(person, id))]);
    }
    const told = (await written(person)).filter(({ type }) => type === "webhook.disabled");
    expect(told).toMatchObject([{ data: { webhookId: id, reason: "gone" } }]);
  });
});

test("a delivery that has used up its attempts is told, with its cause's correlation id", async () => {
  const { person, inbox } = await listening(["postern.delivery.exhausted"]);
  const id = await subscribe(person, newInbox("500").url, { delivery: { retry: { schedule: [] } } });
  const event = await publish(person, { secret: "payload" }, { correlationId: "cause-1" });
  const [received] = await inbox.arrived(1);
  expect(JSON.parse(received?.body ?? "")).toEqual({
    webhookId: id,
    name: "test",
    host: "receiver.example",
    deliveryId: `${event.id.slice(0, 23)}-${id.slice(24)}`,
    eventId: event.id,
    eventType: "OrderPaid",
    attempts: 1,
    lastError: "status 500",
    responseCode: 500,
  });
  expect(received?.headers["x-correlation-id"]).toBe("cause-1");
  await call("POST", `/webhooks/${id}/test`, { token: person.token });
  await eventually("the test", async () => {
    const log = await call("GET", `/webhooks/${id}/logs?eventType=WebhookTested`, { token: person.token });
    return log.body.data.some(({ status }: { status: string }) => status === "failed");
  });
  expect(await written(person)).toHaveLength(1);
});

test("a rate limit that makes deliveries wait for more than an hour is told, once until they are through or it changes", async () => {
  const { person, inbox } = await listening(["postern.webhook.throttled"]);
  const id = await subscribe(person, newInbox("200").url, { delivery: { rateLimit: { limit: 2, per: "hour" } } });
  const waiting = (count: number) =>
    eventually(`${count} to wait`, async () => (await metricsOf(person, id)).throttle.waiting === count);
  const mark = () =>
    deliveryDb.prepare("SELECT throttled_until FROM subscriptions WHERE id = ?").bind(id).first("throttled_until");
  // The first is sent at once, and the second waits half an hour.
  await publish(person, 1);
  await publish(person, 2);
  await waiting(1);
  expect(await mark()).toBe(0);
  await publish(person, 3);
  const [told] = await inbox.arrived(1);
  const { lastSlotAt, ...about } = JSON.parse(told?.body ?? "");
  expect(about).toEqual({ webhookId: id, name: "test", host: "receiver.example" });
  expect(Date.parse(lastSlotAt)).toBeGreaterThan(Date.now() + HOUR_MS - 60_000);
  // Each of these comes in a batch of its own.
  for (const order of [4, 5]) {
    await publish(person, order);
    await waiting(order - 1);
  }
  await eventually("the last start", async () => Number(await mark()) > Date.now() + 1.9 * HOUR_MS);
  expect(await written(person)).toHaveLength(1);
  await api(person, "PATCH", id, { delivery: { rateLimit: { limit: 1, per: "hour" } } });
  await eventually("the second", async () => (await written(person)).length === 2);
  await eventually("the last start", async () => Number(await mark()) > Date.now() + 3.5 * HOUR_MS);
  expect(await written(person)).toHaveLength(2);
  await deliveryDb.prepare("UPDATE subscriptions SET throttled_until = 1 WHERE id = ?").bind(id).run();
  await publish(person, 6);
  await eventually("the third", async () => (await written(person)).length === 3);
});

describe("nobody receives one", () => {
  test("by `*`, nor of another tenant, nor about itself", async () => {
    const { person, inbox, listenerId } = await listening(["*"]);
    const other = await listening();
    await api(person, "PATCH", listenerId, { name: "Renamed" });
    const id = await subscribe(person, newInbox("200").url);
    await api(person, "DELETE", id);
    await api(other.person, "PATCH", other.listenerId, { name: "Renamed" });
    expect([...(await written(person)), ...(await written(other.person))]).toEqual([]);
    await publish(person, 1);
    expect(await inbox.arrived(1)).toHaveLength(1);
  });

  test("when nobody wants it: no row is written", async () => {
    const { person } = await listening(["postern.webhook.deleted"]);
    await subscribe(person, newInbox("200").url);
    expect(await written(person)).toEqual([]);
  });
});

test("`*` and `postern.*` together receive everything, once", async () => {
  const { person, inbox } = await listening(["*", "postern.*", "postern.webhook.created", "OrderPaid"]);
  await subscribe(person, newInbox("200").url, { events: ["Else"] });
  await publish(person, 1);
  const types = (await inbox.arrived(2)).map(({ headers }) => headers["x-webhook-event"]);
  expect(types.toSorted()).toEqual(["OrderPaid", "postern.webhook.created"]);
  const { results } = await deliveryDb
    .prepare("SELECT event_type FROM subscription_events WHERE tenant_id = ? AND event_type <> 'Else' ORDER BY 1")
    .bind(person.tenantId)
    .all<{ event_type: string }>();
  expect(results.map(({ event_type: type }) => type)).toEqual(["*", "postern.*"]);
});

test("two subscriptions that fail and listen to each other come to an end", async () => {
  const person = await signUpVerified();
  const options = { events: ["postern.*"], delivery: { retry: { schedule: [] } } };
  const ids = [
    await subscribe(person, newInbox("500").url, options),
    await subscribe(person, newInbox("500").url, options),
  ];
  for (const id of ids) await api(person, "PATCH", id, { name: "Renamed" });
  const failed = (count: number) =>
    eventually(`${count} failed attempts`, async () => {
      const n = await deliveryDb
        .prepare("SELECT count(*) AS n FROM attempts WHERE status = 'failed' AND subscription_id IN (?, ?)")
        .bind(...ids)
        .first<number>("n");
      return (n ?? 0) >= count;
    });
  // The second creation and both changes are told to one each; all of these deliveries fail.
  await failed(3);
  expect(await written(person)).toHaveLength(3);
  // Ten events each use up their attempts, which is told to the other one, where that fails too. It is not told again.
  // `attempt` ends what waits for its subscription, so the first ten must have failed at the other one before its turn.
  for (const [index, id] of ids.entries()) {
    await attempt(person, id, 10);
    await failed(3 + 20 * (index + 1));
  }
  await review();
  expect(await written(person)).toHaveLength(3 + 20);
});

test("publishing with the prefix is refused, over HTTP, in a batch and over RPC", async () => {
  const person = await signUpVerified();
  const event = { type: "postern.webhook.failing", payload: 1 };
  const { token } = person;
  expect((await call("POST", "/events", { token, body: event })).status).toBe(400);
  expect((await call("POST", "/events/batch", { token, body: { events: [event] } })).status).toBe(400);
  const body = JSON.stringify({ tenantId: person.tenantId, publication: event, idempotencyKey: null });
  const answer = await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body });
  expect(answer.ok).toBe(false);
});

test("the view of an operational event names those that wanted it, and not the one that it is about", async () => {
  const { person, inbox, listenerId } = await listening();
  await subscribe(person, newInbox("200").url, { events: ["*"] });
  const id = await subscribe(person, newInbox("200").url, { events: ["*", "postern.*"] });
  await inbox.arrived(2);
  const { results } = await deliveryDb
    .prepare("SELECT id FROM events WHERE tenant_id = ? AND payload ->> '$.webhookId' = ?")
    .bind(person.tenantId, id)
    .all<{ id: string }>();
  const { body } = await call("GET", `/events/${results[0]?.id}`, { token: person.token });
  expect(body.data.subscriptions.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual([listenerId]);
});
