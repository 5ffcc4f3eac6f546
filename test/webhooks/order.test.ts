/** Events that are published with an `orderKey`: their numbers, and where receivers and users see them. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { type CollectingTx, d1Store, handle } from "../../src/sdk/receive";
import { verifyDelivery } from "../../src/sdk/verify";
import { call, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const inKey = (orderKey: string, payload: unknown = 1) => ({ type: "OrderPaid", payload, orderKey });

async function post(person: Person, path: string, body: object, key?: string) {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  return call("POST", path, { token: person.token, body, headers });
}

const sequenceOf = async (person: Person, orderKey: string, key?: string, payload?: unknown): Promise<number> =>
  (await post(person, "/events", inKey(orderKey, payload), key)).body.data?.sequence;

describe("numbers", () => {
  let person: Person;
  beforeAll(async () => {
    person = await signUpVerified();
  });

  test("each key counts 1, 2, 3, and tenants do not share a key", async () => {
    const other = await signUp();
    expect([
      await sequenceOf(person, "own"),
      await sequenceOf(person, "own"),
      await sequenceOf(person, "another"),
      await sequenceOf(other, "own"),
      await sequenceOf(person, "own"),
    ]).toEqual([1, 2, 1, 1, 3]);
  });

  test("50 events of a key at once get 50 different numbers without a gap", async () => {
    const numbers = await Promise.all(Array.from({ length: 50 }, () => sequenceOf(person, "parallel")));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, position) => position + 1));
  });

  test("a batch is numbered in its order, key by key, also where its payloads need several lists", async () => {
    const long = "x".repeat(200_000);
    const events = ["a", "b", "a", undefined, "a", "b"].map((orderKey, position) => ({
      type: "OrderPaid",
      payload: position % 2 === 0 ? long : 1,
      ...(orderKey ? { orderKey } : {}),
    }));
    const sequences = async () =>
      (await post(person, "/events/batch", { events })).body.data.map(
        ({ sequence }: { sequence?: number }) => sequence,
      );
    expect([await sequences(), await sequences()]).toEqual([
      [1, 1, 2, undefined, 3, 2],
      [4, 3, 5, undefined, 6, 4],
    ]);
  });

  test("a repeat with the same Idempotency-Key has the first number and takes none", async () => {
    expect([
      await sequenceOf(person, "repeated", "same"),
      await sequenceOf(person, "repeated", "same"),
      await sequenceOf(person, "repeated"),
    ]).toEqual([1, 1, 2]);
    const events = [
      { ...inKey("repeated"), idempotencyKey: "same" },
      inKey("repeated"),
      { ...inKey("repeated"), idempotencyKey: "new" },
    ];
    const { body } = await post(person, "/events/batch", { events });
    expect(body.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 3, 4]);
  });

  test("a refused publish takes no number, and another orderKey is another body", async () => {
    expect(await sequenceOf(person, "refused", "first")).toBe(1);
    expect((await post(person, "/events", inKey("refused", 2), "first")).status).toBe(409);
    expect((await post(person, "/events", inKey("elsewhere"), "first")).status).toBe(409);
    expect((await post(person, "/events", { type: "OrderPaid", payload: 1 }, "first")).status).toBe(409);
    expect([await sequenceOf(person, "refused"), await sequenceOf(person, "elsewhere")]).toEqual([2, 1]);
  });

  test("parallel publishes with one Idempotency-Key take one number", async () => {
    const numbers = await Promise.all(Array.from({ length: 20 }, () => sequenceOf(person, "once", "one-key")));
    expect([new Set(numbers), await sequenceOf(person, "once")]).toEqual([new Set([1]), 2]);
  });

  test.each([
    ["empty", ""],
    ["129 characters", "k".repeat(129)],
    ["a space before", " k"],
    ["a space after", "k "],
    ["no ASCII", "ü"],
    ["a number", 7],
  ])("an orderKey that is %s is refused at its path", async (_, orderKey) => {
    const { status, body } = await post(person, "/events", { type: "OrderPaid", payload: 1, orderKey });
    expect([status, body.details?.[0]?.path]).toEqual([400, "orderKey"]);
    const batch = await post(person, "/events/batch", { events: [{ type: "OrderPaid", payload: 1, orderKey }] });
    expect([batch.status, batch.body.details?.[0]?.path]).toEqual([400, "events.0.orderKey"]);
  });

  test("events without a key, or with null for it, write no number", async () => {
    const stranger = await signUp();
    await publish(stranger, 1);
    await publish(stranger, 1, { orderKey: null });
    const rows = deliveryDb.prepare("SELECT count(*) AS count FROM order_sequences WHERE tenant_id = ?");
    expect(await rows.bind(stranger.tenantId).first("count")).toBe(0);
  });
});

test("deliveries carry key and number on every attempt, and users see both wherever they see the event", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("500");
  const delivery = { retry: { schedule: [1] } };
  const hook = await subscribe(person, inbox.url, { delivery });
  const { id } = await publish(person, { order: 7 }, { orderKey: "order 7" });
  const [attempt] = await endedAttempts(person, hook, 2);
  for (const { headers } of await inbox.received()) {
    expect(headers).toMatchObject({ "webhook-order-key": "order 7", "webhook-sequence": "1" });
  }
  const [received] = await inbox.received();
  if (!received) throw new Error("nothing has arrived");
  const nowMs = Number(received.headers["webhook-timestamp"]) * 1000;
  const verified = await verifyDelivery(received, "a-signing-secret", { nowMs });
  expect(verified).toMatchObject({ orderKey: "order 7", sequence: 1 });
  const order = { orderKey: "order 7", sequence: 1 };
  const get = async (path: string) => (await call("GET", path, { token: person.token })).body.data;
  expect((await get("/events"))[0]).toMatchObject(order);
  expect(await get(`/events/${id}`)).toMatchObject(order);
  expect((await get(`/webhooks/${hook}/attempts/${attempt._id}`)).headers).toMatchObject({
    "webhook-order-key": "order 7",
    "webhook-sequence": "1",
  });
  const browser = await holding(person);
  expect((await browser.get(`/events/${id}`)).html).toContain("order 7, number 1");
  const sent = { type: "OrderPaid", payload: "1", correlationId: "", orderKey: "order 7" };
  const { location } = await browser.post("/events", sent);
  expect((await browser.get(location?.replace("/console", "") ?? "")).html).toContain("order 7, number 2");
  const refused = await browser.post("/events", { ...sent, orderKey: " " });
  expect(refused.status).toBe(400);
});

test("the standard format signs the order in its body, before the data, and other formats stay as they are", async () => {
  const person = await signUpVerified();
  const [standard, plain] = [newInbox("200"), newInbox("200")];
  await subscribe(person, standard.url, { delivery: { format: "standard" } });
  await subscribe(person, plain.url);
  await publish(person, { n: 1 }, { orderKey: "k" });
  const [inEnvelope] = await standard.arrived(1);
  const [alone] = await plain.arrived(1);
  expect(inEnvelope?.body).toMatch(
    /^\{"type":"OrderPaid","timestamp":"[^"]+","order":\{"key":"k","sequence":1\},"data":\{"n":1\}\}$/,
  );
  expect(alone?.body).toBe('{"n":1}');
});

test("postern/receive waits for the event before it", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("200");
  await subscribe(person, inbox.url);
  for (const payload of [1, 2, 3]) await publish(person, payload, { orderKey: "k" });
  const arrived = await inbox.arrived(3);
  const bySequence = (wanted: number) => {
    const found = arrived.find(({ headers }) => headers["webhook-sequence"] === String(wanted));
    if (!found) throw new Error(`number ${wanted} has not arrived`);
    return new Request("http://subscriber.example/", found);
  };
  const store = d1Store(env.RECEIVER_DB, { prefix: "order_" });
  await store.migrate();
  const receive = async (sequence: number) => {
    const options = { secret: "a-signing-secret", store, onGap: () => "wait" as const };
    const answer = await handle(bySequence(sequence), options, (_, tx: CollectingTx) => tx.run("SELECT 1"));
    return answer.text();
  };
  expect([await receive(1), await receive(3), await receive(2), await receive(3)]).toEqual([
    "handled",
    "waiting",
    "handled",
    "handled",
  ]);
});
