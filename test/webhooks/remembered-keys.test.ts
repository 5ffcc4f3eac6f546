/**
 * Publishing by an API key that the isolate remembers: one trip, in which the batch that stores the event checks the
 * key. Everything that ends or limits a key holds as if the key were read first.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { atomically } from "../../src/base/db/client";
import { StaleCaller, unlessStale } from "../../src/base/db/recheck";
import { createDeps } from "../../src/base/deps";
import { findApiKeyByHash, refuseChangedKey } from "../../src/identity/api-keys/store";
import { publishEvents } from "../../src/webhooks/events/publish";
import { type Answer, call, eventually, newAddress, type Person, setRole, signUpVerified } from "../support/client";
import { createFeed, oldest, post } from "../support/feeds";
import { captureLog } from "../support/log-lines";
import { joinTenant } from "../support/people";
import { type Publisher, publisher, run } from "../support/publishers";
import { newInbox, subscribe } from "../support/receiver";

const log = captureLog();

afterEach(() => {
  vi.useRealTimers();
});

const EVENT = { type: "OrderPaid", payload: { n: 1 } };

/** A publisher, once this isolate remembers the key. */
async function remembered(shard = 0, person?: Person): Promise<Publisher> {
  const made = await publisher(shard, person);
  expect((await publish(made)).status).toBe(202);
  return made;
}

type Sent = { status: number; trips: number; answer: Answer };

/** From an address of its own: keys that do not work are counted by address. */
async function publish({ key }: Publisher, body: object = EVENT, given: Record<string, string> = {}): Promise<Sent> {
  const requestId = crypto.randomUUID();
  const path = "events" in body ? "/events/batch" : "/events";
  const headers = { ...given, "x-request-id": requestId, "cf-connecting-ip": newAddress() };
  const answer = await call("POST", path, { token: key, body, headers });
  const [line] = await log.linesOnceThere("request", ({ clientRequestId }) => clientRequestId === requestId, 1);
  return { status: answer.status, trips: line?.["d1Trips"], answer };
}

const stored = async ({ tenantId }: Person): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM events WHERE tenant_id = ?").bind(tenantId).first<number>("n")) ?? 0;

const without = (headers: Headers, ...names: string[]) =>
  [...headers].filter(([name]) => !names.includes(name) && name !== "x-request-id");

const QUOTA = ["ratelimit-remaining", "ratelimit-reset"];

describe("a publish by a remembered key", () => {
  test("takes one trip instead of two, and is answered and stored as the first one", async () => {
    const owner = await publisher();
    await subscribe(owner, newInbox("200").url);
    const [first, second] = [await publish(owner), await publish(owner)];
    expect([first.trips, second.trips]).toEqual([2, 1]);
    expect(second.answer.body.data).toEqual({ ...first.answer.body.data, id: expect.any(String) });
    expect(second.answer.body.data.deliveries).toBe(1);
    expect(without(second.answer.headers, ...QUOTA)).toEqual(without(first.answer.headers, ...QUOTA));
    expect(await stored(owner)).toBe(2);
    const batch = await publish(owner, { events: [EVENT, EVENT] });
    expect([batch.status, batch.trips, await stored(owner)]).toEqual([202, 1, 4]);
  });

  test("takes two on a day on which its use must be recorded, and for a tenant in another database", async () => {
    const owner = await remembered();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_401_000 });
    const laterMs = Date.now();
    expect((await publish(owner)).trips).toBeGreaterThanOrEqual(2);
    expect((await publish(owner)).trips).toBe(1);
    vi.useRealTimers();
    const lastUse = () => env.DB.prepare("SELECT last_used_at FROM api_keys WHERE id = ?").bind(owner.id).first();
    await eventually("last use", async () => ((await lastUse())?.["last_used_at"] as number) >= laterMs);
    const elsewhere = await remembered(1);
    expect((await publish(elsewhere)).trips).toBe(2);
  });

  test("counts as much against the limits, also when it is refused", async () => {
    const remaining = ({ answer }: Sent) => Number(answer.headers.get("ratelimit-remaining"));
    const owner = await remembered();
    const before = remaining(await publish(owner));
    expect(remaining(await publish(owner, { type: "two words", payload: 1 }))).toBe(before - 1);
    expect(remaining(await publish(owner))).toBe(before - 2);
  });

  test("is refused as another one", async () => {
    const [owner, other] = [await remembered(), await signUpVerified()];
    const fresh = await publisher();
    for (const [body, headers] of [
      [{ type: "two words", payload: 1 }, {}],
      [{ type: "A" }, {}],
      [{ events: [] }, {}],
      [EVENT, { "idempotency-key": "two words" }],
      [EVENT, { "postern-tenant": other.tenantId }],
    ] as const) {
      const [refused, expected] = [await publish(owner, body, headers), await publish(fresh, body, headers)];
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect({ ...refused.answer.body, requestId: "" }).toEqual({ ...expected.answer.body, requestId: "" });
      expect(without(refused.answer.headers, ...QUOTA)).toEqual(without(expected.answer.headers, ...QUOTA));
    }
    expect([await stored(owner), await stored(fresh)]).toEqual([1, 0]);
  });

  test("is repeated by its Idempotency-Key, and refused with another body", async () => {
    const owner = await remembered();
    const keyed = { "idempotency-key": "order-1" };
    const [first, again] = [await publish(owner, EVENT, keyed), await publish(owner, EVENT, keyed)];
    expect(again.answer.body).toEqual(first.answer.body);
    const other = await publish(owner, { ...EVENT, payload: 2 }, keyed);
    expect([other.status, other.answer.body.code, await stored(owner)]).toEqual([409, "CONFLICT", 2]);
    await run("UPDATE api_keys SET revoked_at = 1 WHERE id = ?", owner.id);
    expect((await publish(owner, EVENT, keyed)).status).toBe(401);
  });
});

describe("a remembered key publishes nothing any more", () => {
  const ofTenant = (owner: Person) => [owner.tenantId] as const;
  test.each<[string, number, (owner: Publisher) => Promise<unknown>]>([
    ["once it is revoked", 401, ({ token, id }) => call("DELETE", `/api-keys/${id}`, { token })],
    ["once it has expired", 401, ({ id }) => run("UPDATE api_keys SET expires_at = ? WHERE id = ?", Date.now(), id)],
    ["once it is deleted", 401, ({ id }) => run("DELETE FROM api_keys WHERE id = ?", id)],
    ["once its owner has left", 401, (owner) => run("DELETE FROM memberships WHERE tenant_id = ?", ...ofTenant(owner))],
    ["once its owner is suspended", 401, ({ userId }) => run("UPDATE users SET suspended_at = 1 WHERE id = ?", userId)],
    ["once its owner has another role", 403, (owner) => setRole(owner, "viewer")],
    [
      "once it has other scopes",
      403,
      ({ id }) => run(`UPDATE api_keys SET scopes = '["webhook.read"]' WHERE id = ?`, id),
    ],
    [
      "once its tenant is suspended",
      403,
      (owner) => run("UPDATE tenants SET suspended_at = 1 WHERE id = ?", ...ofTenant(owner)),
    ],
    [
      "once its tenant stores too much",
      429,
      (owner) => run("UPDATE tenants SET stored_bytes = 1e15 WHERE id = ?", ...ofTenant(owner)),
    ],
  ])("%s", async (_when, status, change) => {
    const [owner, fresh] = [await remembered(), await publisher()];
    await change(owner);
    await change(fresh);
    for (const body of [EVENT, { type: "two words", payload: 1 }, { events: [EVENT] }]) {
      const [refused, expected] = [await publish(owner, body), await publish(fresh, body)];
      expect({ ...refused.answer.body, requestId: "" }).toEqual({ ...expected.answer.body, requestId: "" });
      expect(without(refused.answer.headers, ...QUOTA)).toEqual(without(expected.answer.headers, ...QUOTA));
      if (body !== EVENT) continue;
      expect(refused.status).toBe(status);
    }
    expect(await stored(owner)).toBe(1);
  });

  test("by its own clock when it expires", async () => {
    const owner = await publisher();
    await run("UPDATE api_keys SET expires_at = ? WHERE id = ?", Date.now() + 30_000, owner.id);
    expect((await publish(owner)).status).toBe(202);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    expect((await publish(owner)).status).toBe(401);
    expect(await stored(owner)).toBe(1);
  });

  test("among 20 at once that meet its revocation, and among 20 after it", async () => {
    const owner = await remembered();
    const calls = (count: number) => Array.from({ length: count }, () => publish(owner));
    const [during] = await Promise.all([
      Promise.all(calls(10)).then(async (first) => [...first, ...(await Promise.all(calls(10)))]),
      call("DELETE", `/api-keys/${owner.id}`, { token: owner.token }),
    ]);
    expect(during.filter(({ status }) => status !== 202 && status !== 401)).toEqual([]);
    expect(await stored(owner)).toBe(1 + during.filter(({ status }) => status === 202).length);
    const before = await stored(owner);
    const after = await Promise.all(calls(20));
    expect([after.map(({ status }) => status), await stored(owner)]).toEqual([Array(20).fill(401), before]);
  });
});

describe("a remembered key publishes by what holds now", () => {
  test("for its tenant's feeds, types and storage, in three trips and then in one again", async () => {
    const owner = await remembered();
    const feed = await createFeed(owner);
    expect((await publish(owner)).trips).toBe(3);
    expect((await publish(owner)).trips).toBe(1);
    expect(await oldest(feed)).toEqual([EVENT.payload, EVENT.payload]);
    await run("UPDATE tenants SET stored_bytes = 5 WHERE id = ?", owner.tenantId);
    expect([(await publish(owner)).trips, (await publish(owner)).trips]).toEqual([3, 1]);
  });

  test("by the newest rules of its tenant", async () => {
    const owner = await remembered();
    const type = { name: EVENT.type, schema: { type: "object", required: ["total"] }, enforce: "reject" };
    expect((await post(owner, "/event-types", type)).status).toBe(201);
    expect((await publish(owner)).status).toBe(400);
    expect((await publish(owner)).status).toBe(400);
    expect((await publish(owner, { ...EVENT, payload: { total: 1 } })).status).toBe(202);
    expect((await publish(owner, { ...EVENT, payload: { total: 2 } })).trips).toBe(1);
    const changed = await call("PATCH", `/event-types/${EVENT.type}`, { token: owner.token, body: { enforce: "off" } });
    expect(changed.status).toBe(200);
    expect((await publish(owner)).status).toBe(202);
    expect(await stored(owner)).toBe(4);
  });

  test("for the repeat of an event that the rules would refuse now", async () => {
    const [owner, keyed] = [await remembered(), { "idempotency-key": "order-1" }];
    const first = await publish(owner, EVENT, keyed);
    const type = { name: EVENT.type, schema: { type: "object", required: ["total"] }, enforce: "reject" };
    expect((await post(owner, "/event-types", type)).status).toBe(201);
    expect((await publish(owner, { ...EVENT, payload: { total: 1 } })).status).toBe(202);
    expect((await publish(owner, EVENT, keyed)).answer.body).toEqual(first.answer.body);
    await run("UPDATE api_keys SET revoked_at = 1 WHERE id = ?", owner.id);
    expect((await publish(owner, EVENT, keyed)).status).toBe(401);
  });

  test("with the role that its owner has got", async () => {
    const guest = await joinTenant(await signUpVerified(), "developer");
    const owner = await remembered(0, guest);
    await setRole(owner, "admin");
    expect([(await publish(owner)).status, (await publish(owner)).trips]).toEqual([202, 1]);
  });
});

describe("the check in the batch", () => {
  test("sees a change of everything that was read, but not of the last use", async () => {
    const owner = await remembered();
    const deps = await createDeps(env, createExecutionContext());
    const hash = await sha256Hex(owner.key);
    const known = await findApiKeyByHash(deps, hash, Date.now());
    if (!known) throw new Error("there is no key");
    const fails = (key: typeof known) =>
      atomically(deps.db, { check: refuseChangedKey(hash, key)(Date.now()) }).then(
        () => false,
        (error: Error) => /api_keys\.id/.test(error.message),
      );
    expect(await fails({ ...known, lastUsedAt: 1 })).toBe(false);
    const columns = Object.keys(known).filter((name) => name !== "lastUsedAt");
    expect(columns.length).toBeGreaterThan(15);
    for (const name of columns) expect([name, await fails({ ...known, [name]: "other" })]).toEqual([name, true]);
  });

  test("gives back what was reserved, if it fails", async () => {
    const { tenantId, key } = await remembered();
    const deps = await createDeps(env, createExecutionContext());
    const hash = await sha256Hex(key);
    const known = await findApiKeyByHash(deps, hash, Date.now());
    if (!known) throw new Error("there is no key");
    const [taken, given] = [vi.spyOn(deps.limiter, "consume"), vi.spyOn(deps.limiter, "giveBack")];
    const tenant = {
      tenantId,
      shard: 0,
      hasVerifiedOwner: true,
      recheck: refuseChangedKey(hash, { ...known, name: "" }),
    };
    // As many deliveries are reserved as a type may have of which the isolate knows nothing.
    const input = { type: "Unknown", payload: "1", correlationId: null, idempotencyKey: null };
    await expect(publishEvents(deps, tenant, [input], 0)).rejects.toThrow(StaleCaller);
    const reserved = taken.mock.calls.map(([name, , units]) => [name, units]);
    expect(reserved.map(([name]) => name).sort()).toEqual(["publish", "tenantDeliveries", "tenantPayloadBytes"]);
    expect(given.mock.calls.map(([name, , { units }]) => [name, units]).sort()).toEqual(reserved.sort());
  });

  test("is not taken for a refusal after a fault in which the event may have been stored", async () => {
    const [fault, refused] = [
      new Error("Network connection lost"),
      new Error("NOT NULL constraint failed: api_keys.id"),
    ];
    const failing = (errors: Error[]) =>
      unlessStale(() => {
        throw errors.shift();
      });
    await expect(failing([refused])()).rejects.toThrow(StaleCaller);
    const again = failing([fault, refused]);
    await expect(again()).rejects.toBe(fault);
    await expect(again()).rejects.toBe(fault);
  });
});
