/** Publishing: what is accepted, idempotency keys, other Workers, and a fan-out to ten thousand. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { runCron } from "../src/cron";
import { createDeps } from "../src/deps";
import { publish as publishEvent } from "../src/events/publish";
import { call, eventually, type Person, signUp } from "./support/client";
import { consumeBatch } from "./support/engine";
import { newInbox, publish, subscribe } from "./support/receiver";

const send = (person: Person, body: unknown, key?: string) =>
  call("POST", "/events", { token: person.token, body, ...(key ? { headers: { "idempotency-key": key } } : {}) });

const EVENT = { type: "OrderPaid", payload: { n: 1 } };

test("a payload nested more than 500 levels deep is refused", async () => {
  const person = await signUp();
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const publishing = async (levels: number) =>
    (await call("POST", "/events", { token: person.token, body: { type: "Deep", payload: nested(levels) } })).status;
  expect([await publishing(500), await publishing(501), await publishing(2_000)]).toEqual([202, 400, 400]);
});

describe("what is accepted", () => {
  test.each([
    [{ payload: 1 }, "type"],
    [{ type: "*", payload: 1 }, "type"],
    [{ type: "two words", payload: 1 }, "type"],
    [{ type: "x".repeat(129), payload: 1 }, "type"],
    [{ type: "A" }, "payload"],
    [{ type: "A", payload: 1, correlationId: "c".repeat(129) }, "correlationId"],
    [{ type: "A", payload: 1, correlationId: "a\nb" }, "correlationId"],
  ])("%j is not", async (body, path) => {
    const answer = await send(await signUp(), body);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
  });

  test.each([[null], [false], [0], [""], [[]], [{}]])("the payload %j is", async (payload) => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    expect((await publish(person, payload)).deliveries).toBe(1);
    expect((await inbox.arrived(1))[0]?.body).toBe(JSON.stringify(payload));
  });

  test("types match exactly, * stands for all, and one subscription gets an event once", async () => {
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

  test("of ten at once one publishes, and all get its answer; another body is a conflict", async () => {
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
    const count = await env.DB.prepare("SELECT count(*) AS n FROM deliveries WHERE tenant_id = ?")
      .bind(person.tenantId)
      .first();
    expect(count).toEqual({ n: 2 });
  });

  test("keys of two tenants do not meet; a malformed one is refused", async () => {
    const [first, second] = [await send(await signUp(), EVENT, "same"), await send(await signUp(), EVENT, "same")];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.body.data.id).not.toBe(second.body.data.id);
    const bad = await send(await signUp(), EVENT, "x".repeat(256));
    expect([bad.status, bad.body.details[0].path]).toEqual([400, "Idempotency-Key"]);
  });

  test("after 24 hours it publishes anew, with any body", async () => {
    const person = await signUp();
    const first = await send(person, EVENT, "daily");
    // The access token does not live that long, so from here on by the function behind the route.
    const again = async (payload: string | object) => {
      const deps = await createDeps(env, createExecutionContext());
      return publishEvent(deps, person.tenantId, { ...EVENT, payload }, "daily");
    };
    const publishedAt = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: publishedAt + 24 * 3_600_000 - 60_000 });
    expect(await again(EVENT.payload)).toEqual(first.body.data);
    vi.setSystemTime(publishedAt + 24 * 3_600_000 + 1_000);
    expect((await again("new")).id).not.toBe(first.body.data.id);
  });
});

describe("another Worker", () => {
  const rpc = async (body: object) => {
    const response = await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: what was published, or why not
    return (await response.json()) as any;
  };

  test("publishes over RPC through the same function", async () => {
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
});

describe("ten thousand subscriptions in one tenant", () => {
  /** Subscriptions by the thousand, whose deliveries are closed as they are made: the fan-out alone is at test. */
  async function subscribeMany(person: Person, count: number): Promise<void> {
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    await env.DB.batch([
      env.DB.prepare(
        `CREATE TRIGGER IF NOT EXISTS close_wide AFTER INSERT ON deliveries WHEN NEW.subscription_id LIKE '%-_____'
         BEGIN UPDATE deliveries SET due_at = NULL, sweep_at = NULL WHERE id = NEW.id; END`,
      ),
      env.DB.prepare(
        `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at, updated_at)
         ${rows} SELECT ?1 || printf('-%05d', i), ?1, 'many', 'http://receiver.example/200/many', '["Wide"]', 'x', 'x', 1, 0, 0 FROM n`,
      ).bind(person.tenantId),
      env.DB.prepare(
        `INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
         ${rows} SELECT ?1, 'Wide', ?1 || printf('-%05d', i) FROM n`,
      ).bind(person.tenantId),
    ]);
  }
  const made = async (eventId: string) =>
    await env.DB.prepare(
      "SELECT count(*) AS n, count(DISTINCT subscription_id) AS different FROM deliveries WHERE event_id = ?",
    )
      .bind(eventId)
      .first<{ n: number; different: number }>();
  const cursor = async (eventId: string) =>
    (
      await env.DB.prepare("SELECT fan_out_after AS after FROM events WHERE id = ?")
        .bind(eventId)
        .first<{ after: string | null }>()
    )?.after;

  test("the 202 counts all, the queue makes the rest, and duplicates of its messages make none twice", async () => {
    const person = await signUp();
    await subscribeMany(person, 10_000);
    const { id, deliveries } = await publish(person, 1, { type: "Wide" });
    expect(deliveries).toBe(10_000);
    const stale = { fanOut: id, afterSubscriptionId: `${person.tenantId}-00500` };
    await Promise.all([consumeBatch([stale]), consumeBatch([stale, stale])]);
    await eventually("fan-out done", async () => (await cursor(id)) === null, 25_000);
    expect(await made(id)).toEqual({ n: 10_000, different: 10_000 });
  });

  test("a fan-out whose message was lost goes on by the sweep", async () => {
    const person = await signUp();
    await subscribeMany(person, 750);
    const id = crypto.randomUUID();
    await env.DB.prepare(
      "INSERT INTO events (id, tenant_id, type, payload, fan_out_after, created_at) VALUES (?, ?, 'Wide', '1', ?, 1)",
    )
      .bind(id, person.tenantId, `${person.tenantId}-00100`)
      .run();
    const context = createExecutionContext();
    await runCron(await createDeps(env, context), "* * * * *");
    await waitOnExecutionContext(context);
    await eventually("fan-out done", async () => (await cursor(id)) === null);
    expect(await made(id)).toEqual({ n: 650, different: 650 });
  });
});
