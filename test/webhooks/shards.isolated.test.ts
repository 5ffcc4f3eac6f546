/** Several delivery databases: which one a tenant gets, and what happens when one is down. */
import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { app } from "../../src/app";
import { atomically, rows } from "../../src/base/db/client";
import { noteShardSizes } from "../../src/base/db/shard-sizes";
import { CLOSED_AT, MAX_SHARD_BYTES, noteSize, shardForNewTenant } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import { noteTotals } from "../../src/service/metrics/store";
import { call, type Person, signUp } from "../support/client";
import { operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

const deps = await createDeps(env, createExecutionContext());
const DATABASES = [env.DB, env.SHARD_1] as const;

/** Marks all databases except one as closed. */
async function fillAllBut(shard: number): Promise<void> {
  for (const other of [0, 1]) await noteSize(deps.db, other, other === shard ? 1 : CLOSED_AT * MAX_SHARD_BYTES, 1);
}

const shardOf = (person: Person) =>
  env.DB.prepare("SELECT shard FROM tenants WHERE id = ?").bind(person.tenantId).first<number>("shard");

const NO_COUNTS = { hour: 0, healthy: 0, failing: 0, slow: 0, disabled: 0, paused: 0, histogram: [] };

/** A database on which every call fails. */
const down = new Proxy(env.SHARD_1, {
  get: () => () => {
    throw new Error("D1_ERROR: Network connection lost.");
  },
});

async function personOn(shard: number): Promise<Person> {
  await fillAllBut(shard);
  const person = await signUp();
  expect(await shardOf(person)).toBe(shard);
  return person;
}

describe("the database of a tenant", () => {
  test.each([0, 1])("%i has all of its subscriptions and events, and the other has none", async (shard) => {
    const person = await personOn(shard);
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    await publish(person, { on: shard });
    await inbox.arrived(1);
    expect(await endedAttempts(person, webhookId, 1)).toMatchObject([{ status: "success" }]);
    const counts = await Promise.all(
      DATABASES.map((database) =>
        database
          .prepare(
            `SELECT (SELECT count(*) FROM subscriptions WHERE tenant_id = ?1) + (SELECT count(*) FROM events
              WHERE tenant_id = ?1) AS n`,
          )
          .bind(person.tenantId)
          .first<number>("n"),
      ),
    );
    expect(counts).toEqual(shard === 0 ? [2, 0] : [0, 2]);
  });

  test("is number 0 only when all others are closed, and none that is 85 % full", async () => {
    await noteSize(deps.db, 0, 0, 1);
    await noteSize(deps.db, 1, 0.84 * MAX_SHARD_BYTES, 1);
    expect(await shardOf(await signUp())).toBe(1);
    await noteSize(deps.db, 1, 0.86 * MAX_SHARD_BYTES, 1);
    expect(await shardOf(await signUp())).toBe(0);
    await noteSize(deps.db, 0, 0.9 * MAX_SHARD_BYTES, 1);
    expect(await shardOf(await signUp())).toBe(0);
  });

  test("is a random one of the others, and seldom one that had many attempts in the last hour", async () => {
    for (const shard of [2, 3, 4]) await noteSize(deps.db, shard, shard, 1);
    await noteTotals(deps.db, 4, { ...NO_COUNTS, succeeded: 900_000, failed: 100_000 });
    const shards = { ...deps.shards, numbers: [0, 2, 3, 4] };
    const { drawn } = await atomically(deps.db, {
      drawn: Array.from({ length: 60 }, () =>
        rows<{ shard: number }>(sql`SELECT ${shardForNewTenant(shards)} AS shard`),
      ),
    });
    const countOf = (number: number) => drawn.filter(({ shard }) => shard === number).length;
    expect([countOf(0), countOf(2) > 5, countOf(3) > 5, countOf(4) < 5]).toEqual([0, true, true, true]);
    await env.DB.prepare("DELETE FROM shards WHERE shard > 1").run();
  });

  test("has its size stored by the hourly cron", async () => {
    await noteShardSizes(deps);
    const { results } = await env.DB.prepare("SELECT shard, bytes > 0 AS known FROM shards ORDER BY shard").all();
    expect(results).toEqual([
      { shard: 0, known: 1 },
      { shard: 1, known: 1 },
    ]);
  });
});

describe("a database that is down", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const callWithout1 = async (person: Person, method: string, path: string, body?: unknown) => {
    const context = createExecutionContext();
    const request = new Request(`http://postern.test/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${person.token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const response = await app.fetch(request, { ...env, SHARD_1: down }, context);
    await waitOnExecutionContext(context);
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };

  test("answers its own tenants with 503 and Retry-After, and does not affect others", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [there, here] = [await personOn(1), await personOn(0)];
    const event = { type: "OrderPaid", payload: 1 };
    for (const [method, path, body] of [
      ["GET", "/webhooks"],
      ["POST", "/events", event],
      ["GET", "/stats"],
    ] as const) {
      expect(await callWithout1(there, method, path, body)).toEqual({
        status: 503,
        retryAfter: expect.stringMatching(/^[1-9]/),
      });
      expect((await callWithout1(here, method, path, body)).status).toBeLessThan(300);
    }
    expect((await callWithout1(there, "GET", "/auth/me")).status).toBe(200);
  });

  test("is named in the search of operators, which finds what is in the others", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const person = await personOn(0);
    const op = await operator();
    const { status, body } = await callUnder(
      { SHARD_1: down },
      { method: "GET", path: `/api/v1/operator/search?q=${person.email}`, token: op.token },
    );
    expect([status, body.data.unreachable]).toEqual([200, [1]]);
    expect(body.data.people).toMatchObject([{ email: person.email }]);
  });

  test("delays only its own deliveries: their messages are retried, and others are not", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const here = await personOn(0);
    const inbox = newInbox("200");
    await subscribe(here, inbox.url);
    await publish(here, 1);
    await inbox.arrived(1);
    const key = {
      queue: "",
      dueAt: Date.now(),
      id: crypto.randomUUID(),
      subscriptionId: crypto.randomUUID(),
      bytes: 1,
    };
    const messages = [1, 0].map((shard) => ({
      id: `m${shard}`,
      timestamp: new Date(),
      attempts: 1,
      body: { shard, due: [key] },
    }));
    for (const message of messages) {
      const batch = createMessageBatch("postern-deliveries", [message]);
      const context = createExecutionContext();
      await worker.queue(batch, Object.assign({}, env, { SHARD_1: down }), context);
      const result = await getQueueResult(batch, context);
      expect([message.id, result.retryMessages.length]).toEqual([message.id, message.id === "m1" ? 1 : 0]);
    }
  });
});

test("a publish is repeated when the answer of D1 was lost, and the event is delivered exactly once", async () => {
  const person = await call("GET", "//health").then(() => personOn(1));
  const inbox = newInbox("200");
  await subscribe(person, inbox.url);
  let failures = 2;
  const flaky = new Proxy(env.SHARD_1, {
    get: (target, property) => {
      const value = Reflect.get(target, property);
      if (property !== "batch") return typeof value === "function" ? value.bind(target) : value;
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        if (failures-- > 0) throw new Error("D1_ERROR: Network connection lost.");
        return results;
      };
    },
  });
  const context = createExecutionContext();
  const request = new Request("http://postern.test/api/v1/events", {
    method: "POST",
    headers: { authorization: `Bearer ${person.token}`, "content-type": "application/json" },
    body: '{"type":"OrderPaid","payload":1}',
  });
  const response = await app.fetch(request, { ...env, SHARD_1: flaky }, context);
  expect([response.status, failures]).toEqual([202, expect.any(Number)]);
  await waitOnExecutionContext(context);
  await inbox.arrived(1);
  const events = await env.SHARD_1.prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?")
    .bind(person.tenantId)
    .first("n");
  expect(events).toBe(1);
  expect(await inbox.received()).toHaveLength(1);
});
