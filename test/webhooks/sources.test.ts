/** Sources: what a call of a provider becomes, and what a source takes. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromStored } from "../../src/base/db/stored-text";
import { newSourceId } from "../../src/webhooks/hops/source-id";
import { forgetRefusals } from "../../src/webhooks/sources/refusals";
import { call, eventually, newAddress, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { callUnder } from "../support/overrides";
import { deliveryDb, SHARD } from "../support/shard";
import {
  create,
  deliver,
  errorsOf,
  eventsOf,
  nowSeconds,
  optionsOf,
  SIGNED,
  type SigningProvider,
  send,
} from "../support/sources";

/** In the form that `fromStored` takes. */
const PAYLOAD_SQL =
  "CASE typeof(long_payload) WHEN 'blob' THEN 'z' || hex(long_payload) ELSE 't' || coalesce(long_payload, payload) END";

afterEach(() => {
  forgetRefusals();
  vi.useRealTimers();
});

test.each<[SigningProvider, string, string, Record<string, string>]>([
  ["stripe", '{"id":"evt_1","type":"invoice.paid", "big":12345678901234567890}', "stripe.invoice.paid", {}],
  ["github", '{"action":"opened"}', "github.issues.opened", {}],
  ["github", "[1]", "github.issues", {}],
  ["shopify", '{"a":1}', "shopify.orders.create", {}],
  ["slack", '{"event_id":"Ev1","event":{"type":"message"}}', "slack.message", {}],
  ["standard", '{"type":"order.paid"}', "order.paid", {}],
  ["standard", '{"a":1}', "from.header", { "x-webhook-event": "from.header" }],
  ["standard", '{"a":1}', "of.event", { "ce-type": "of.event", "ce-specversion": "1.0" }],
  ["hmac", '{"kind":"Shipped","n":7}', "Shipped", {}],
])("%s: %s becomes the event %s, byte for byte, and once in parallel", async (provider, body, type, headers) => {
  const person = await signUpVerified();
  const { id } = await create(person, provider, optionsOf(provider));
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(id, provider, body, headers)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 202]);
  expect(answers.map((answer) => answer.body.message).sort()).toEqual([
    "Accepted",
    ...Array(9).fill("Already received"),
  ]);
  const [event, ...others] = await eventsOf(person);
  expect([event.type, others]).toEqual([type, []]);
  expect(await rawPayloadOf(event.id)).toBe(body);
});

test.each<[SigningProvider, string, Record<string, string>, string]>([
  ["stripe", '{"id":"evt_1","type":"a"}', {}, "evt_1"],
  ["github", "{}", { "x-github-delivery": "delivery-1" }, "delivery-1"],
  ["shopify", "{}", { "x-shopify-event-id": "shopify-1" }, "shopify-1"],
  ["slack", '{"event_id":"Ev1","event":{"type":"message"}}', {}, "Ev1"],
  ["standard", '{"type":"a"}', {}, "msg_1"],
  ["hmac", '{"kind":"a","n":7}', {}, "7"],
])("%s: %s with %j gets the correlation id of the provider", async (provider, body, headers, correlationId) => {
  const person = await signUpVerified();
  const { id } = await create(person, provider, optionsOf(provider));
  await deliver(id, provider, body, headers);
  expect((await eventsOf(person))[0]).toMatchObject({ correlationId });
});

/** The payload of an event as it is stored, which is what subscribers receive. */
async function rawPayloadOf(eventId: string): Promise<string> {
  const row = deliveryDb.prepare(`SELECT ${PAYLOAD_SQL} AS payload FROM events WHERE id = ?`).bind(eventId);
  return fromStored((await row.first<string>("payload")) ?? "");
}

describe("before the signature is looked at", () => {
  const addressed = { "cf-connecting-ip": "203.0.113.91" };

  test("a body above 256 KiB gets 413 and one of another type 415, also where the source is unknown", async () => {
    const { id } = await create(await signUpVerified(), "github");
    const long = JSON.stringify("x".repeat(256 * 1024));
    for (const source of [id, newSourceId()]) {
      expect((await send(source, long)).status).toBe(413);
      expect((await send(source, "{}", { "content-type": "text/plain" })).status).toBe(415);
    }
    for (let n = 0; n < 20; n += 1) expect((await send(id, "{}", addressed)).status).toBe(401);
    expect((await send(id, "{}", addressed)).status).toBe(429);
    expect((await send(id, long, addressed)).status).toBe(413);
  });

  test("a refusal does the same work for an unknown source as for a known one: one HMAC of the body", async () => {
    const { id } = await create(await signUpVerified(), "github");
    const verified = vi.spyOn(crypto.subtle, "verify");
    const worked = async (source: string, headers: Record<string, string> = {}) => {
      verified.mockClear();
      const path = `/api/v1/in/${source}`;
      expect((await callUnder({}, { path, body: { n: 1 }, ip: newAddress(), headers })).status).toBe(401);
      return verified.mock.calls.map(([algorithm, , , content]) => [algorithm, byteLength(content)]);
    };
    const wrong = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
    const work = [["HMAC", 7]];
    try {
      expect([await worked(id), await worked(id, wrong), await worked(newSourceId()), await worked("src_x")]).toEqual(
        Array(4).fill(work),
      );
    } finally {
      verified.mockRestore();
    }
  });

  const byteLength = (content: unknown) => (content instanceof Uint8Array ? content.length : -1);
});

test("with the database down a call gets 503 with Retry-After and leaves no mark, so it is taken when it comes again", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "stripe");
  const body = { id: "evt_1", type: "a" };
  const request = async () => ({
    path: `/api/v1/in/${id}`,
    body,
    headers: await SIGNED.stripe(JSON.stringify(body), nowSeconds()),
  });
  for (const down of [{ DB: brokenDatabase }, { [SHARD === 0 ? "DB" : "SHARD_1"]: brokenDatabase }]) {
    const { status, headers } = await callUnder(down, await request());
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
  }
  expect((await callUnder({}, await request())).status).toBe(202);
  expect((await eventsOf(person)).length).toBe(1);
});

const fail = async () => {
  throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
};
const brokenStatement = { bind: () => brokenStatement, all: fail, run: fail, first: fail, raw: fail };
const brokenDatabase = { prepare: () => brokenStatement, batch: fail };

test("a repeat with another body is the same call where the provider names an id", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "stripe");
  expect((await deliver(id, "stripe", '{"id":"evt_1","type":"a"}')).status).toBe(202);
  const again = await deliver(id, "stripe", '{"id":"evt_1","type":"a","attempt":2}');
  expect([again.status, again.body]).toEqual([200, { message: "Already received" }]);
  const { id: other } = await create(person, "stripe");
  expect((await deliver(other, "stripe", '{"id":"evt_1","type":"a"}')).status).toBe(202);
});

test("a challenge is answered, and a ping and a type that is not allowed are ignored", async () => {
  const person = await signUpVerified();
  const slack = await create(person, "slack");
  const answer = await deliver(slack.id, "slack", '{"type":"url_verification","challenge":"abc"}');
  expect([answer.status, answer.body]).toEqual([200, { challenge: "abc" }]);
  const github = await create(person, "github", { allow: ["push", "pull_request.*"] });
  for (const [event, body, message] of [
    ["ping", "{}", "Ignored"],
    ["issues", '{"action":"opened"}', "Ignored"],
    ["push", "{}", "Accepted"],
    ["pull_request", '{"action":"closed"}', "Accepted"],
  ] as const) {
    const { body: said } = await deliver(github.id, "github", body, { "x-github-event": event });
    expect([event, said.message]).toEqual([event, message]);
  }
});

test("the 401 is the same for an unknown, deleted and disabled source, a suspended tenant and any bad call", async () => {
  const person = await signUpVerified();
  const [open, disabled, deleted, suspended] = [
    await create(person, "github"),
    await create(person, "github", { enabled: false }),
    await create(person, "github"),
    await create(await signUpVerified(), "github"),
  ];
  await call("DELETE", `/sources/${deleted.id}`, { token: person.token });
  await env.DB.prepare("UPDATE tenants SET suspended_at = 1 WHERE id = (SELECT tenant_id FROM sources WHERE id = ?)")
    .bind(suspended.id)
    .run();
  const right = await SIGNED.github("{}", 0);
  const answers = [
    await send(open.id, "{}"),
    await send(open.id, "{}", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }),
    await send(disabled.id, "{}", right),
    await send(deleted.id, "{}", right),
    await send(suspended.id, "{}", right),
    await send(newSourceId(), "{}", right),
    await send("src_x", "{}", right),
  ];
  const seen = answers.map(({ status, body, headers }) => {
    const shown = [...headers].filter(([name]) => name !== "x-request-id");
    return JSON.stringify([status, { ...body, requestId: "" }, shown]);
  });
  expect(new Set(seen).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 401, body: { code: "UNAUTHENTICATED", message: "Invalid signature." } });
});

describe("a source takes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

  test("30 rightly signed calls in 60 s, and wrongly signed ones do not count", async () => {
    const person = await signUpVerified();
    const { id } = await create(person, "github");
    for (let n = 0; n < 5; n += 1) expect((await send(id, "{}")).status).toBe(401);
    const answers = [];
    for (let n = 0; n < 31; n += 1) answers.push(await deliver(id, "github", `{"n":${n}}`));
    expect(answers.map(({ status }) => status)).toEqual([...Array(30).fill(202), 429]);
    expect(Number(answers[30]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answers[0]?.headers.get("ratelimit-limit")).toBe("30");
    const own = await create(person, "github", { requestsPerMinute: 1 });
    expect((await deliver(own.id, "github", "{}")).status).toBe(202);
    expect((await deliver(own.id, "github", "{}")).status).toBe(429);
  });

  test("no more calls of an address of which it has refused 20 within 60 s, and those of others", async () => {
    const { id } = await create(await signUpVerified(), "github");
    const from = { "cf-connecting-ip": "203.0.113.77" };
    for (let n = 0; n < 20; n += 1) expect((await send(id, "{}", from)).status).toBe(401);
    const refused = await deliver(id, "github", "{}", from);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await deliver(id, "github", "{}")).status).toBe(202);
    vi.setSystemTime(Date.now() + 60_001);
    expect((await deliver(id, "github", "{}", from)).status).toBe(200);
  });
});

test("refused calls leave one error a minute and reason, and no reason drives out another", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "stripe", { maxBytes: 60 });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  expect((await deliver(id, "stripe", "no json")).body.code).toBe("INVALID_JSON");
  const untyped = await deliver(id, "stripe", '{"id":"1"}');
  expect([untyped.status, untyped.body.details[0].path]).toEqual([400, "type"]);
  expect((await deliver(id, "stripe", JSON.stringify("x".repeat(60)))).status).toBe(413);
  expect((await send(id, "{}", await SIGNED.stripe("{}", nowSeconds() - 400))).status).toBe(401);
  for (let minute = 0; minute < 30; minute += 1) {
    const ip = { "cf-connecting-ip": `198.51.100.${minute}` };
    for (let n = 0; n < 3; n += 1) await send(id, "{}", ip);
    vi.setSystemTime(Date.now() + 60_000);
  }
  vi.useRealTimers();
  const isOf = (reason: string) => (error: { reason: string }) => error.reason === reason;
  const errors = await eventually("the errors are written", async () => {
    const found = await errorsOf(person, id);
    return found.filter(isOf("signature")).length === 25 && found[0]?.count === 3 && found;
  });
  expect(new Set(errors.map(({ reason }) => reason))).toEqual(
    new Set(["signature", "timestamp", "body", "type", "too_large"]),
  );
  expect(errors[0]).toMatchObject({ reason: "signature", count: 3, bytes: 2 });
});

test("a call costs two round trips and the rows of a publish with a key, a refused one a read", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  const cost = async (body: object, headers: Record<string, string>) =>
    costOf("POST", `/in/${id}`, { body, headers: { "x-github-event": "push", ...headers } });
  const signed = async (body: object) => SIGNED.github(JSON.stringify(body), 0);
  const first = await cost({ n: 1 }, await signed({ n: 1 }));
  // The first event of a tenant costs one row more.
  expect(first).toMatchObject({ status: 202, trips: 3, rowsWritten: 4 });
  expect(await cost({ n: 2 }, await signed({ n: 2 }))).toMatchObject({ status: 202, trips: 2, rowsWritten: 2 });
  expect(await cost({ n: 2 }, await signed({ n: 2 }))).toMatchObject({ status: 200, trips: 3, rowsWritten: 0 });
  expect(await cost({}, {})).toMatchObject({ status: 401, trips: 2, rowsWritten: 1 });
  expect(await cost({}, {})).toMatchObject({ status: 401, trips: 1, rowsWritten: 0 });
  const unknown = await costOf("POST", "/in/src_0000000000000000000000000000", { body: {} });
  expect(unknown).toMatchObject({ status: 401, trips: 0, rowsWritten: 0 });
});
