/** A tenant that stores too much, and a database that is nearly full, take no more events. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { newId, newIdAt } from "../../src/base/db/ids";
import { MAX_SHARD_BYTES, noteSize } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import { countStoredBytes } from "../../src/webhooks/stats/stored-bytes";
import { call, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { callUnder } from "../support/overrides";
import { reading, sumOf } from "../support/rows-read";
import { closeOtherShard, deliveryDb, SHARD } from "../support/shard";
import { maintain } from "../support/upkeep";

const LIMIT = { TENANT_STORED_MIB: "1" };
const publish = ({ token }: Person) =>
  callUnder(LIMIT, { path: "/api/v1/events", token, body: { type: "OrderPaid", payload: 1 } });
const count = async () => maintain(await createDeps({ ...env, ...LIMIT }, createExecutionContext()), countStoredBytes);

afterEach(closeOtherShard);

test("beyond TENANT_STORED_MIB events answer 429 and name the limit, until retention has made room", async () => {
  const [large, small] = [await signUpVerified(), await signUp()];
  const ids = Array.from({ length: 12 }, (_, n) => newIdAt(Date.now() - n));
  await deliveryDb
    .prepare(
      `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
       SELECT value, ?1, 'Large', hex(zeroblob(50000)), 0, 1 FROM json_each(?2)`,
    )
    .bind(large.tenantId, JSON.stringify(ids))
    .run();
  expect((await publish(large)).status).toBe(202);
  await count();
  const refused = await publish(large);
  expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
  expect(refused.body.message).toContain("1 MiB (TENANT_STORED_MIB)");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await publish(small)).status).toBe(202);
  await deliveryDb.prepare("DELETE FROM events WHERE type = 'Large'").run();
  await count();
  expect((await publish(large)).status).toBe(202);
});

test("all is counted once a day, and sooner when what was published since can have filled a tenant", async () => {
  const person = await signUpVerified();
  await noteSize((await createDeps(env, createExecutionContext())).db, SHARD, 1, 1);
  const rowsOfCount = async () => {
    const { database, rowsRead } = reading(deliveryDb);
    const context = createExecutionContext();
    const shards = { [SHARD === 0 ? "DB" : "SHARD_1"]: database };
    await maintain(await createDeps({ ...env, ...LIMIT, ...shards } as Env, context), countStoredBytes);
    return sumOf(rowsRead);
  };
  const fill = (bytes: number) =>
    deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         SELECT value, ?1, 'Large', hex(zeroblob(?3)), 0, 1 FROM json_each(?2)`,
      )
      .bind(person.tenantId, JSON.stringify([newId(), newId(), newId(), newId()]), bytes / 8)
      .run();
  await fill(400_000);
  const all = await rowsOfCount();
  expect(await rowsOfCount()).toBeLessThan(all / 3);
  await fill(800_000);
  expect((await publish(person)).status).toBe(202);
  expect(await rowsOfCount()).toBeGreaterThan(all);
  expect((await publish(person)).status).toBe(429);
  await deliveryDb.prepare("DELETE FROM events WHERE type = 'Large'").run();
  await rowsOfCount();
  await env.DB.prepare("UPDATE shards SET storage_count = json_set(storage_count, '$.countedAt', 0)").run();
  expect(await rowsOfCount()).toBeGreaterThan(all / 3);
});

test("beyond twice TENANT_STORED_MIB it can only delete and stop things", async () => {
  const person = await signUpVerified();
  const { token, tenantId } = person;
  const stores = (mib: number) =>
    env.DB.prepare("UPDATE tenants SET stored_bytes = ? WHERE id = ?")
      .bind(mib * 1024 * 1024, tenantId)
      .run();
  const send = (method: string, path: string, body?: object) =>
    callUnder(LIMIT, { method, path: `/api/v1${path}`, token, ...(body ? { body } : {}) });
  const declare = (name: string) => send("POST", "/event-types", { name });
  await stores(1.5);
  expect((await publish(person)).status).toBe(429);
  expect((await declare("t")).status).toBe(201);
  await stores(2.5);
  const refused = await declare("u");
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
    429,
    "RATE_LIMITED",
    "3600",
  ]);
  expect(refused.body.message).toBe("The tenant stores more than 2 MiB, twice TENANT_STORED_MIB. It can only delete.");
  expect((await send("PATCH", "/event-types/t", { description: "T." })).status).toBe(429);
  expect((await send("GET", "/event-types")).status).toBe(200);
  expect((await send("PATCH", "/auth/me", { name: "Ann" })).status).toBe(200);
  expect((await send("DELETE", "/event-types/t")).status).toBe(200);
});

test("a database above 95 % refuses what tenants write with 503, and everything else goes on", async () => {
  const person = await signUpVerified();
  const { token } = person;
  const { id } = (await call("POST", "/feeds", { token, body: { name: "f", events: ["*"] } })).body.data;
  const deps = await createDeps(env, createExecutionContext());
  await noteSize(deps.db, SHARD, 0.94 * MAX_SHARD_BYTES, 1);
  expect((await publish(person)).status).toBe(202);
  await noteSize(deps.db, SHARD, 0.96 * MAX_SHARD_BYTES, 1);
  const refused = await publish(person);
  expect([refused.status, refused.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(refused.headers.get("retry-after")).not.toBeNull();
  for (const [path, body] of [
    ["/event-types", { name: "t" }],
    ["/feeds", { name: "g", events: ["*"] }],
    ["/sources", { name: "s", provider: "github" }],
    ["/portal-links", { permissions: ["webhook.read"] }],
    ["/api-keys", { name: "k", scopes: ["webhook.read"] }],
  ] as const) {
    const { status, headers } = await call("POST", path, { token, body });
    expect([path, status, headers.get("retry-after")]).toEqual([path, 503, "3600"]);
  }
  const browser = await holding(person);
  expect((await browser.post("/feeds", { name: "g", events: "*" })).status).toBe(503);
  expect((await call("GET", "/webhooks", { token })).status).toBe(200);
  expect((await call("DELETE", `/feeds/${id}`, { token })).status).toBe(200);
  expect((await call("PATCH", "/auth/me", { token, body: { name: "Ann" } })).status).toBe(200);
  expect((await signUp()).token).toEqual(expect.any(String));
});

test("a full database does not hide that an API key was revoked which the isolate remembers", async () => {
  const { token, tenantId } = await signUpVerified();
  // Keys are remembered for the tenants of their own database.
  await env.DB.prepare("UPDATE tenants SET shard = 0 WHERE id = ?").bind(tenantId).run();
  const { db } = await createDeps(env, createExecutionContext());
  const body = { name: "ci", scopes: ["event.publish"] };
  const { id, key } = (await call("POST", "/api-keys", { token, body })).body.data;
  await noteSize(db, 0, 0.96 * MAX_SHARD_BYTES, 1);
  const publishByKey = async () =>
    (await call("POST", "/events", { token: key, body: { type: "OrderPaid", payload: 1 } })).status;
  expect([await publishByKey(), await publishByKey()]).toEqual([503, 503]);
  expect((await call("DELETE", `/api-keys/${id}`, { token })).status).toBe(200);
  expect(await publishByKey()).toBe(401);
});
