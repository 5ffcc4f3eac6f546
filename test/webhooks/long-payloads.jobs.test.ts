/** Long payloads and long answers are stored compressed, which nobody can tell from outside. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderOf } from "../../.scripts/bench/sample-payload";
import { noteSize } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import { call, signUp } from "../support/client";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const compressFrom = (timeMs: number | null) =>
  env.DB.prepare(
    `INSERT INTO shards (shard, bytes, noted_at, compresses_from) VALUES (?1, 0, 0, ?2)
     ON CONFLICT (shard) DO UPDATE SET compresses_from = ?2`,
  )
    .bind(SHARD, timeMs)
    .run();

beforeAll(async () => {
  await compressFrom(0);
});
afterAll(async () => {
  await compressFrom(null);
});

const rowOf = (id: string) =>
  deliveryDb
    .prepare(
      `SELECT payload, long_bytes AS longBytes, typeof(long_payload) AS kind, octet_length(long_payload) AS stored
       FROM events WHERE id = ?`,
    )
    .bind(id)
    .first();

const sent = (order: string) => ({ ...JSON.parse(order) });

describe("a long payload", () => {
  test("is stored compressed, arrives byte for byte, and is shown everywhere as it was sent", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    const order = orderOf(4_000);
    const { id } = await publish(person, sent(order));
    expect((await inbox.arrived(1))[0]?.body).toBe(order);
    expect(await rowOf(id)).toMatchObject({ payload: "null", longBytes: 4_000, kind: "blob" });
    expect((await rowOf(id))?.stored).toBeLessThan(2_000);

    const [attempt] = await endedAttempts(person, webhookId, 1);
    expect(attempt.payload).toEqual(sent(order));
    const { token } = person;
    const detail = await call("GET", `/webhooks/${webhookId}/attempts/${attempt._id}`, { token });
    expect(detail.body.data.payload).toEqual(sent(order));
    expect((await call("GET", `/events/${id}`, { token })).body.data.payload).toEqual(sent(order));
  });

  test("of a batch is stored beside a short one, and a key gives the first answer again", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const order = orderOf(1_000);
    const events = [
      { type: "OrderPaid", payload: sent(order), idempotencyKey: "a" },
      { type: "OrderPaid", payload: 1 },
    ];
    const made = await call("POST", "/api-keys", {
      token: person.token,
      body: { name: "k", scopes: ["event.publish"] },
    });
    const token = made.body.data.key;
    const first = await call("POST", "/events/batch", { token, body: { events } });
    const again = await call("POST", "/events/batch", { token, body: { events: events.slice(0, 1) } });
    expect([first.status, again.body.data]).toEqual([202, first.body.data.slice(0, 1)]);
    expect((await inbox.arrived(2)).map(({ body }) => body).sort()).toEqual(["1", order].sort());
    const [long, short] = first.body.data.map(({ id }: { id: string }) => id);
    expect(await rowOf(long)).toMatchObject({ payload: "null", longBytes: 1_000, kind: "blob" });
    expect(await rowOf(short)).toMatchObject({ payload: "1", longBytes: null, kind: "null" });
  });

  test("is sent again by a retry, with its real size", async () => {
    const person = await signUp();
    const inbox = newInbox("500");
    const webhookId = await subscribe(person, inbox.url, { delivery: { retry: { schedule: [] } } });
    const order = orderOf(1_500);
    await publish(person, sent(order));
    const [attempt] = await endedAttempts(person, webhookId, 1);
    const { token } = person;
    expect(
      (await call("POST", `/webhooks/${webhookId}/deliveries/${attempt.deliveryId}/retry`, { token })).status,
    ).toBe(200);
    const bodies = (await inbox.arrived(2)).map(({ body }) => body);
    expect(bodies).toEqual([order, order]);
  });

  test("is stored as before until its database compresses", async () => {
    const person = await signUp();
    await compressFrom(Date.now() + 60_000);
    const order = orderOf(1_000);
    const { id } = await publish(person, sent(order));
    await compressFrom(0);
    expect(await rowOf(id)).toEqual({ payload: order, longBytes: null, kind: "null", stored: null });
  });
});

test("a database compresses from a day after its size was first noted", async () => {
  const { db } = await createDeps(env, createExecutionContext());
  const fromOf = () =>
    env.DB.prepare("SELECT compresses_from FROM shards WHERE shard = 900").first<number>("compresses_from");
  await env.DB.prepare("INSERT INTO shards (shard, bytes, noted_at) VALUES (900, 1, 1)").run();
  expect(await fromOf()).toBeNull();
  const nowMs = Date.now();
  for (const laterMs of [0, 3_600_000]) await noteSize(db, 900, 1, nowMs + laterMs);
  expect(await fromOf()).toBe(nowMs + 86_400_000);
  await env.DB.prepare("DELETE FROM shards WHERE shard = 900").run();
});
