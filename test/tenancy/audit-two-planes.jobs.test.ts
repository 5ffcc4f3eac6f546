/** One list of the events of both planes: in order, complete, page by page, and the service's own among them. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import { newIdAt } from "../../src/base/db/ids";
import { readAuditRows } from "../../src/tenancy/audit/read-store";
import { call, logIn, type Person, signUp, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, messageFor } from "../support/engine";
import { attempt, pass, review } from "../support/failing";
import { mailTo, tokenIn } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

afterEach(() => void vi.useRealTimers());

interface Listed {
  id: string;
  action: string;
  actor: { kind: string };
  meta: Record<string, unknown> | null;
}

const page = async ({ token }: Pick<Person, "token">, query = "") =>
  (await call("GET", `/audit?${query}`, { token })).body as { data: Listed[]; nextCursor: string | null };

/** Adds events of a tenant to a database, one a minute from `from` (Unix ms) on. */
async function fill(database: D1Database, tenantId: string, action: string, times: readonly number[]): Promise<void> {
  const rows = times.map((time) => newIdAt(time));
  await database
    .prepare(
      "INSERT INTO audit_events (tenant_id, id, action, actor_kind) SELECT ?, value, ?, 'system' FROM json_each(?)",
    )
    .bind(tenantId, action, JSON.stringify(rows))
    .run();
}

async function pages(person: Person, query: string): Promise<Listed[]> {
  const found: Listed[] = [];
  let cursor = "";
  do {
    const { data, nextCursor } = await page(person, `${query}${cursor && `&cursor=${cursor}`}`);
    found.push(...data);
    cursor = nextCursor ?? "";
  } while (cursor);
  return found;
}

test("this file has its tenants in a database of their own, so that the list has two sources", () => {
  expect(SHARD).toBe(1);
});

test("changes of accounts and of subscriptions are in one list, in the order in which they were made", async () => {
  const owner = await signUp();
  const { token } = owner;
  const body = { name: "k", scopes: ["webhook.read"] };
  const wanted: string[] = ["auth.registered"];
  for (let round = 0; round < 3; round++) {
    await subscribe(owner, newInbox("200").url);
    await call("POST", "/api-keys", { token, body });
    wanted.unshift("api_key.created", "webhook.created");
  }
  expect((await page(owner)).data.map(({ action }) => action)).toEqual(wanted);
});

describe("pages", () => {
  const minutes = (count: number, offset: number) =>
    Array.from({ length: count }, (_, n) => (n + 1) * 2 * MINUTE_MS + offset);

  test("show every event once, whichever database has it, and end", async () => {
    const owner = await signUp();
    const start = Date.now() - 10 * HOUR_MS;
    await fill(env.DB, owner.tenantId, "session.revoked", minutes(12, start));
    await fill(deliveryDb, owner.tenantId, "webhook.paused", minutes(22, start + MINUTE_MS));
    for (const limit of [2, 7, 200]) {
      const ids = (await pages(owner, `limit=${limit}`)).map(({ id }) => id);
      expect(ids).toHaveLength(35);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
    }
    expect(await pages(owner, "limit=5&action=session.revoked")).toHaveLength(12);
  });

  test("a filter examines 10,000 events for a page, says that there may be more, and finds the rest", async () => {
    const owner = await signUp();
    const start = Date.now() - 24 * HOUR_MS;
    const seconds = Array.from({ length: 12_000 }, (_, n) => start + n * 1_000);
    await fill(env.DB, owner.tenantId, "session.revoked", [start - MINUTE_MS]);
    await fill(deliveryDb, owner.tenantId, "webhook.paused", seconds);
    const first = await page(owner, "action=session.revoked");
    expect(first.data).toEqual([]);
    expect(first.nextCursor).not.toBeNull();
    expect(await pages(owner, "action=session.revoked")).toHaveLength(1);
    const none = await pages(owner, "action=api_key.deleted");
    expect(none).toEqual([]);
  });
});

test("a page reads as many rows whether the tenant has a hundred events or twenty thousand", async () => {
  const [small, large] = [await signUp(), await signUp()];
  const times = (count: number) => Array.from({ length: count }, (_, n) => Date.now() - HOUR_MS + n);
  await fill(env.DB, small.tenantId, "session.revoked", times(100));
  await fill(env.DB, large.tenantId, "session.revoked", times(20_000));
  let rowsRead = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await env.DB.batch(statements);
    for (const { meta } of results) rowsRead += meta.rows_read;
    return results;
  };
  const counted = { prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database;
  const readOf = async ({ tenantId }: Person) => {
    rowsRead = 0;
    await readAuditRows(
      createDb(counted, { trips: 0, sqlMs: 0, rowsWritten: 0 }),
      tenantId,
      {},
      { limit: 50, examined: 10_000 },
    );
    return rowsRead;
  };
  const [ofSmall, ofLarge] = [await readOf(small), await readOf(large)];
  expect(ofSmall).toBeGreaterThan(50);
  expect(ofLarge).toBe(ofSmall);
});

test("one change can leave several events: of the URL, the secret and the switch", async () => {
  const owner = await signUp();
  const id = await subscribe(owner, newInbox("200").url);
  const change = { name: "other", url: newInbox("200").url, secret: "another secret", enabled: false };
  await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: change });
  const { data } = await page(owner, "limit=3");
  const metas = Object.fromEntries(data.map(({ action, meta }) => [action, meta]));
  expect(metas).toEqual({
    "webhook.updated": { changed: expect.arrayContaining(["name", "url"]) },
    "webhook.secret_rotated": { kind: "v1" },
    "webhook.paused": null,
  });
  await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: change });
  expect((await page(owner, "limit=3")).data).toEqual(data);
});

test("nothing of a secret, a URL or a header is in the log", async () => {
  const owner = await signUp();
  const id = await subscribe(owner, `${newInbox("200").url}?token=recognisable`, { secret: "recognisable-secret" });
  const delivery = { headers: { Authorization: "recognisable-header" } };
  await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: { secret: "recognisable-too", delivery } });
  await call("POST", `/webhooks/${id}/secret/rotate`, { token: owner.token, body: { secret: "recognisable-three" } });
  for (const database of [env.DB, deliveryDb]) {
    const { results } = await database.prepare("SELECT * FROM audit_events").all();
    expect(JSON.stringify(results)).not.toContain("recognisable");
  }
});

describe("what the service does by itself", () => {
  test("disabling a subscription that has failed for days", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const owner = await signUpVerified();
    const id = await subscribe(owner, newInbox("500").url);
    await attempt(owner, id, 10);
    for (const hours of [2, 70, 60]) {
      pass(hours * HOUR_MS);
      await attempt(owner, id, 10);
      await review();
    }
    const { data } = await page(await logIn(owner), "action=webhook.*&limit=1");
    expect(data[0]).toMatchObject({
      action: "webhook.disabled",
      actor: { kind: "system" },
      meta: { reason: "failing" },
    });
  });

  test("disabling a subscription whose endpoint is gone", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const owner = await signUp();
    const id = await subscribe(owner, newInbox("410").url, { delivery: { retry: { onGone: "disable" } } });
    await consumeBatch([messageFor(await addDelivery(owner, id))]);
    pass(2 * MINUTE_MS);
    await consumeBatch([messageFor(await addDelivery(owner, id))]);
    const { data } = await page(owner, "action=webhook.*&limit=1");
    expect(data[0]).toMatchObject({ action: "webhook.disabled", actor: { kind: "system" }, meta: { reason: "gone" } });
  });

  test("a take-over shows the tenant that it leaves nothing of the owner of the address", async () => {
    const squatter = await signUp();
    await subscribe(squatter, newInbox("200").url);
    const accomplice = await call("POST", "/api-keys", {
      token: squatter.token,
      body: { name: "k", scopes: ["audit.read"] },
    });
    expect(accomplice.status).toBe(201);
    const headers = { "cf-connecting-ip": "198.51.100.99" };
    await call("POST", "/auth/forgot-password", { body: { email: squatter.email }, headers });
    const token = tokenIn(await mailTo(squatter.email, /Reset/));
    const reset = await call("POST", "/auth/reset-password", {
      body: { token, newPassword: "another one here" },
      headers,
    });
    expect(reset.status).toBe(200);
    const rows = async (database: D1Database, tenantId: string) =>
      (
        await database
          .prepare("SELECT action, actor_kind, ip FROM audit_events WHERE tenant_id = ? ORDER BY id DESC LIMIT 1")
          .bind(tenantId)
          .all()
      ).results;
    const system = { actor_kind: "system", ip: null };
    expect(await rows(env.DB, squatter.tenantId)).toEqual([{ action: "member.left", ...system }]);
    expect(await rows(deliveryDb, squatter.tenantId)).toEqual([{ action: "webhook.disabled", ...system }]);
    expect(await rows(env.DB, squatter.userId)).toEqual([
      { action: "auth.password_reset", actor_kind: "user", ip: "198.51.100.99" },
    ]);
  });
});
