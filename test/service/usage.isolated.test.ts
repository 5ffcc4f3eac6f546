/** What tenants have used in a month. Isolated: it counts all events of the service. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { firstIdAt, newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { HOUR_MS } from "../../src/base/time";
import { countUsage } from "../../src/service/usage/count";
import { newTenant, openPlatform, send } from "../support/platform-api";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { maintain, unpaused } from "../support/upkeep";

beforeAll(openPlatform);

const AT = Date.UTC(2026, 9, 31, 23, 59, 59);
const NEXT_MONTH = Date.UTC(2026, 10, 1);

async function insert(tenantId: string, at: number, fields: { type?: string; payload?: string; shard?: 0 | 1 } = {}) {
  const { type = "a.b", payload = "{}", shard = 0 } = fields;
  await (shard === 0 ? env.DB : env.SHARD_1)
    .prepare("INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at) VALUES (?, ?, ?, ?, 3, ?)")
    .bind(newIdAt(at), tenantId, type, payload, at)
    .run();
}

const count = async () => maintain(await createDeps(env as Env, createExecutionContext()), countUsage);
const placed = async (tenantId: string, shard: number, former: number | null = null) =>
  env.DB.prepare("UPDATE tenants SET shard = ?, former_shard = ? WHERE id = ?").bind(shard, former, tenantId).run();
const usageOf = async (tenantId: string, month: string) => {
  const { body } = await send("GET", `/usage?month=${month}&limit=200`);
  return body.data.find((row: { tenantId: string }) => row.tenantId === tenantId);
};

test("is counted by months, once, without our own events and those of the last half hour", async () => {
  await env.DB.prepare(
    "INSERT INTO shards (shard, bytes, noted_at) VALUES (0, 0, 0), (1, 0, 0) ON CONFLICT DO NOTHING",
  ).run();
  const { id, externalId } = await newTenant({ externalId: `ext-${crypto.randomUUID()}` });
  await placed(id, 0);
  await insert(id, AT, { payload: '{"é":1}' });
  await insert(id, NEXT_MONTH);
  await insert(id, NEXT_MONTH + 1, { type: "postern.webhook.failing" });
  await insert(id, Date.now());
  await count();
  await count();
  const october = { tenantId: id, externalId, name: "Shop", events: 1, deliveries: 3, bytes: 8, members: 0 };
  expect(await usageOf(id, "2026-10")).toEqual(october);
  expect(await usageOf(id, "2026-11")).toEqual({ ...october, bytes: 2 });
  const { body } = await send("GET", "/usage?month=2026-10");
  expect(Date.parse(body.countedUntil)).toBeGreaterThan(Date.now() - HOUR_MS);
});

test("is counted once when a tenant has moved with its events", async () => {
  const { id } = await newTenant();
  await placed(id, 1);
  await env.DB.prepare("UPDATE shards SET counted_to = ?")
    .bind(firstIdAt(AT - 1))
    .run();
  await insert(id, AT, { shard: 1 });
  await count();
  await placed(id, 0, 1);
  await env.DB.prepare("UPDATE shards SET counted_to = ?")
    .bind(firstIdAt(AT - 1))
    .run();
  const moved = await env.SHARD_1.prepare("SELECT id FROM events WHERE tenant_id = ?").bind(id).first<{ id: string }>();
  await env.DB.prepare(
    "INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at) VALUES (?, ?, 'a.b', '{}', 3, 0)",
  )
    .bind(moved?.id, id)
    .run();
  await insert(id, AT + 500);
  await count();
  expect((await usageOf(id, "2026-10")).events).toBe(2);
});

test("is listed page by page, for the tenants that the key sees, and of a month that there is", async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  const { key } = await newPlatformKey(["tenants.read"], { tenants: [one.id, other.id] });
  const page = async (query: string) => (await callAs(key, "", "GET", `/platform/usage?month=2026-10${query}`)).body;
  const first = await page("&limit=1");
  const second = await page(`&limit=1&cursor=${first.nextCursor}`);
  const ids = [...first.data, ...second.data].map(({ tenantId }: { tenantId: string }) => tenantId);
  expect([ids, second.nextCursor]).toEqual([[one.id, other.id].sort(), null]);
  for (const month of ["", "2026-13", "2026"]) expect((await send("GET", `/usage?month=${month}`)).status).toBe(400);
});

test("a row of a new month removes those of more than two years ago", async () => {
  const { id } = await newTenant();
  await placed(id, 0);
  await env.DB.prepare("INSERT INTO monthly_usage VALUES (?, '2024-01', 1, 1, 1, ''), (?, '2026-01', 1, 1, 1, '')")
    .bind(id, id)
    .run();
  await env.DB.prepare("UPDATE shards SET counted_to = ?").bind(firstIdAt(NEXT_MONTH)).run();
  await insert(id, NEXT_MONTH + 5);
  await count();
  const { results } = await env.DB.prepare("SELECT month FROM monthly_usage WHERE tenant_id = ?").bind(id).all();
  expect(results.map(({ month }) => month)).toEqual(["2026-01", "2026-11"]);
});

test("many events that are read in pages cost each of their tenants one row", async () => {
  const tenants = await Promise.all(Array.from({ length: 3 }, () => newTenant()));
  for (const { id } of tenants) await placed(id, 0);
  await env.DB.prepare("UPDATE shards SET counted_to = ?").bind(firstIdAt(AT)).run();
  await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899)
    INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
      SELECT ?1 || '-7' || printf('%03d', i), value, 'T', '1', 0, ?2 FROM n JOIN json_each(?3) ON key = i % 3`)
    .bind(firstIdAt(AT + 100), AT, JSON.stringify(tenants.map(({ id }) => id)))
    .run();
  const deps = await createDeps(env as Env, createExecutionContext());
  const before = deps.trips.rowsWritten;
  await countUsage(unpaused(deps), 0, "", () => false);
  // How far the database is counted is noted with the sums, and at the end.
  expect(deps.trips.rowsWritten - before).toBe(tenants.length + 2);
  for (const { id } of tenants) expect((await usageOf(id, "2026-10")).events).toBe(300);
});
