/**
 * Publishing: valid and invalid events, idempotency keys, batches, other Workers, and a fan-out to ten thousand
 * subscriptions.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { publishEvents } from "../../src/webhooks/events/publish";
import { rawPayload, rawPayloads } from "../../src/webhooks/events/raw-payload";
import { type Answer, call, type Person, signUp } from "../support/client";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const send = (person: Person, body: unknown, key?: string) =>
  call("POST", "/events", { token: person.token, body, ...(key ? { headers: { "idempotency-key": key } } : {}) });

/** Sends exactly these bytes as the body. */
const callRaw = (person: Person, path: string, raw: BodyInit) =>
  call("POST", path, { token: person.token, raw, headers: { "content-type": "application/json" } });

const EVENT = { type: "OrderPaid", payload: { n: 1 } };

test("a payload nested more than 500 levels deep is refused", async () => {
  const person = await signUp();
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const publishing = async (levels: number) =>
    (await call("POST", "/events", { token: person.token, body: { type: "Deep", payload: nested(levels) } })).status;
  expect([await publishing(500), await publishing(501), await publishing(2_000)]).toEqual([202, 400, 400]);
});

describe("an event", () => {
  test.each([
    [{ payload: 1 }, "type"],
    [{ type: "*", payload: 1 }, "type"],
    [{ type: "two words", payload: 1 }, "type"],
    [{ type: "x".repeat(129), payload: 1 }, "type"],
    [{ type: "A" }, "payload"],
    [{ type: "A", payload: 1, correlationId: "c".repeat(129) }, "correlationId"],
    [{ type: "A", payload: 1, correlationId: "a\nb" }, "correlationId"],
  ])("%j is refused", async (body, path) => {
    const answer = await send(await signUp(), body);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
  });

  test.each([[null], [false], [0], [""], [[]], [{}]])("with the payload %j is accepted", async (payload) => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    expect((await publish(person, payload)).deliveries).toBe(1);
    expect((await inbox.arrived(1))[0]?.body).toBe(JSON.stringify(payload));
  });

  test("goes once to each enabled subscription of the tenant that lists exactly its type or *", async () => {
    const person = await signUp();
    const stranger = await signUp();
    const url = newInbox("200").url;
    await subscribe(person, url, { events: ["A", "*"] });
    await subscribe(person, url, { events: ["*"] });
    await subscribe(person, url, { events: ["a"] });
    await subscribe(person, url, { events: ["A"], enabled: false });
    await subscribe(stranger, url, { events: ["A", "*"] });
    const answer = await send(person, { type: "A", payload: 1 });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ data: { id: expect.any(String), type: "A", deliveries: 2 } });
  });
});

describe("Idempotency-Key", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("lets one of ten simultaneous calls publish, and all get its answer; another body is a conflict", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(person, EVENT, "key-1")));
    expect(answers.map((answer) => answer.status)).toEqual(Array<number>(10).fill(202));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    const other = await send(person, { ...EVENT, payload: { n: 2 } }, "key-1");
    expect([other.status, other.body.code]).toEqual([409, "CONFLICT"]);
    await send(person, EVENT, "key-2");
    await inbox.arrived(2);
    const count = await deliveryDb
      .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
      .bind(person.tenantId)
      .first();
    expect(count).toEqual({ n: 2 });
    expect(await inbox.received()).toHaveLength(2);
  });

  test("belongs to one tenant, and is refused if it is malformed", async () => {
    const [first, second] = [await send(await signUp(), EVENT, "same"), await send(await signUp(), EVENT, "same")];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.body.data.id).not.toBe(second.body.data.id);
    const bad = await send(await signUp(), EVENT, "x".repeat(256));
    expect([bad.status, bad.body.details[0].path]).toEqual([400, "Idempotency-Key"]);
  });

  test("can be used again after 24 hours, with any body", async () => {
    const person = await signUp();
    const first = await send(person, EVENT, "daily");
    // The access token expires before then, so this calls the function behind the route.
    const again = async (payload: string | object) => {
      const deps = await createDeps(env, createExecutionContext());
      const input = {
        type: EVENT.type,
        payload: JSON.stringify(payload),
        correlationId: null,
        idempotencyKey: "daily",
      };
      const [event] = await publishEvents(
        deps,
        { tenantId: person.tenantId, shard: SHARD, hasVerifiedOwner: true },
        [input],
        0,
      );
      return event;
    };
    const publishedAt = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: publishedAt + 24 * 3_600_000 - 60_000 });
    expect(await again(EVENT.payload)).toEqual(first.body.data);
    vi.setSystemTime(publishedAt + 24 * 3_600_000 + 1_000);
    expect((await again("new"))?.id).not.toBe(first.body.data.id);
  });
});

describe("another Worker", () => {
  /** The published events, or an error. */
  const rpc = async (body: object): Promise<Answer["body"]> => {
    const response = await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(body) });
    return await response.json();
  };

  test("publishes over RPC by the same rules", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const request = { tenantId: person.tenantId, publication: EVENT, idempotencyKey: "rpc-1" };
    const { published } = await rpc(request);
    expect(published).toEqual({ id: expect.any(String), type: "OrderPaid", deliveries: 1 });
    expect((await inbox.arrived(1))[0]?.body).toBe('{"n":1}');
    expect((await rpc(request)).published).toEqual(published);
    expect((await rpc({ ...request, publication: { ...EVENT, payload: 2 } })).message).toMatch(/another body/);
    expect((await rpc({ ...request, publication: { type: "*", payload: 1 } })).message).toBe(
      "The request is not valid.",
    );
  });

  test("cannot publish for an unknown tenant, or a payload above 256 KiB", async () => {
    const unknown = await rpc({ tenantId: crypto.randomUUID(), publication: EVENT, idempotencyKey: null });
    expect(unknown.message).toBe("Tenant not found");
    const { tenantId } = await signUp();
    const large = { type: "Large", payload: "x".repeat(256 * 1024) };
    expect((await rpc({ tenantId, publication: large, idempotencyKey: null })).message).toMatch(/larger than 256 KiB/);
  });

  test.each(["a BigInt", "a cycle"])("cannot publish %s, which JSON cannot represent", async (unrepresentable) => {
    const { tenantId } = await signUp();
    for (const call of [{ publication: { type: "A" }, idempotencyKey: null }, { batch: [{ type: "A" }] }]) {
      expect((await rpc({ tenantId, ...call, unrepresentable })).message).toBe("The request is not valid.");
    }
  });

  test("publishes a batch in the order of the call, either all events or none", async () => {
    const { tenantId } = await signUp();
    const events = [EVENT, { type: "Other", payload: 2 }];
    const { published } = await rpc({ tenantId, batch: events });
    expect(published.map(({ type }: { type: string }) => type)).toEqual(["OrderPaid", "Other"]);
    expect((await rpc({ tenantId, batch: [EVENT, { type: "*", payload: 1 }] })).message).toBe(
      "The request is not valid.",
    );
    const count = await deliveryDb
      .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
      .bind(tenantId)
      .first("n");
    expect(count).toBe(2);
  });
});

describe("payloads", () => {
  test("are delivered as exactly the bytes of the request", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url, { events: ["*"] });
    const payload = '{ "10":1, "2" : 12345678901234567890,\n "a":"\\u00e9 é", "n": 1.50e2 }';
    const answer = await callRaw(person, "/events", `{"payload":0,"type":"Raw", "payload" : ${payload} }`);
    expect(answer.status).toBe(202);
    const [arrival] = await inbox.arrived(1);
    expect(arrival?.body).toBe(payload);
  });

  test("that are not UTF-8 are refused", async () => {
    const person = await signUp();
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"type":"A","payload":"'),
      0xff,
      ...new TextEncoder().encode('"}'),
    ]);
    const answer = await callRaw(person, "/events", bytes);
    expect([answer.status, answer.body.code]).toEqual([400, "INVALID_JSON"]);
  });

  test.each([
    ['{"payload":{"a":[1,{"b":"]}"}]}}', '{"a":[1,{"b":"]}"}]}'],
    ['{"a":"\\"payload\\":1","payload":"x\\\\"}', '"x\\\\"'],
    [' { "pay\\u006coad" : null , "b":[ ] } ', "null"],
    ['{"b":{"payload":1}}', null],
    ['{"payload":-1.5e+3}', "-1.5e+3"],
  ])("are found in the text %s", (json, payload) => {
    expect(rawPayload(json)).toBe(payload);
  });

  test("are found in the text of a batch, in order", () => {
    expect(rawPayloads('{"events":[{"payload":1},{"x":2},{"payload":[3, 4]}]}')).toEqual(["1", null, "[3, 4]"]);
  });
});

describe("POST /events/batch", () => {
  const sendBatch = (person: Person, events: unknown, key?: string) =>
    call("POST", "/events/batch", {
      token: person.token,
      body: { events },
      ...(key ? { headers: { "idempotency-key": key } } : {}),
    });

  test("publishes all events in order and delivers the exact bytes of each", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url, { events: ["*"] });
    const texts = Array.from({ length: 100 }, (_, n) => `{"type":"T${n % 3}","payload":{"n": ${n}}}`);
    const body = `{"events":[${texts.join(",")}]}`;
    const answer = await callRaw(person, "/events/batch", body);
    expect(answer.status).toBe(202);
    expect(
      answer.body.data.map(({ type, deliveries }: { type: string; deliveries: number }) => [type, deliveries]),
    ).toEqual(Array.from({ length: 100 }, (_, n) => [`T${n % 3}`, 1]));
    const arrived = await inbox.arrived(100);
    expect(new Set(arrived.map((arrival) => arrival.body)).size).toBe(100);
    expect(arrived.map((arrival) => arrival.body)).toContain('{"n": 42}');
  });

  test("refuses all events if one is invalid, and names its position", async () => {
    const person = await signUp();
    const answer = await sendBatch(person, [EVENT, EVENT, { type: "*", payload: 1 }]);
    expect([answer.status, answer.body.details[0].path]).toEqual([400, "events.2.type"]);
    const count = await deliveryDb
      .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
      .bind(person.tenantId)
      .first("n");
    expect(count).toBe(0);
  });

  test("refuses 0 events, 101 events, the same key twice, and the Idempotency-Key header", async () => {
    const person = await signUp();
    const keyed = { ...EVENT, idempotencyKey: "k" };
    const statuses = [];
    for (const events of [[], Array(101).fill(EVENT), [keyed, keyed]])
      statuses.push((await sendBatch(person, events)).status);
    statuses.push((await sendBatch(person, [EVENT], "header")).status);
    expect(statuses).toEqual([400, 400, 400, 400]);
  });

  test("returns the first answer for a repeated idempotency key, and refuses all events if a key was used with another", async () => {
    const person = await signUp();
    const first = await sendBatch(person, [{ ...EVENT, idempotencyKey: "a" }, EVENT]);
    const again = await sendBatch(person, [
      { type: "Other", payload: 1 },
      { ...EVENT, idempotencyKey: "a" },
    ]);
    expect(again.body.data[1]).toEqual(first.body.data[0]);
    const conflict = await sendBatch(person, [
      { type: "Never", payload: 1, idempotencyKey: "b" },
      { ...EVENT, payload: 2, idempotencyKey: "a" },
    ]);
    expect([conflict.status, conflict.body.code]).toEqual([409, "CONFLICT"]);
    const never = await deliveryDb
      .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ? AND type = 'Never'")
      .bind(person.tenantId)
      .first("n");
    expect(never).toBe(0);
    expect((await sendBatch(person, [{ type: "Free", payload: 1, idempotencyKey: "b" }])).status).toBe(202);
  });

  test("lets one of ten simultaneous batches with the same key publish", async () => {
    const person = await signUp();
    const batch = [
      { ...EVENT, idempotencyKey: "once" },
      { type: "Second", payload: 2, idempotencyKey: "twice" },
    ];
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendBatch(person, batch)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body.data))).size).toBe(1);
    const count = await deliveryDb
      .prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
      .bind(person.tenantId)
      .first("n");
    expect(count).toBe(2);
  });
});
