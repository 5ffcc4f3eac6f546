/** How long the audit log is kept, how much of it, and what is left of a person whose account was deleted. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { forgetUser } from "../../src/audit/forget";
import { newIdAt } from "../../src/db/ids";
import { createDeps } from "../../src/deps";
import { call, eventually, type Person, signUp } from "../support/client";
import { hourly } from "../support/engine";
import { captureLog } from "../support/log-lines";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const DAY_MS = 86_400_000;
const captured = captureLog();

async function fill(database: D1Database, { tenantId }: Person, count: number, newestMs: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => newIdAt(newestMs - n));
  await database
    .prepare(
      "INSERT INTO audit_events (tenant_id, id, action, actor_kind) SELECT ?, value, 'session.revoked', 'system' FROM json_each(?)",
    )
    .bind(tenantId, JSON.stringify(ids))
    .run();
}

const countOf = (database: D1Database, { tenantId }: Person) =>
  database.prepare("SELECT count(*) AS n FROM audit_events WHERE tenant_id = ?").bind(tenantId).first<number>("n");

test("events older than AUDIT_RETENTION_DAYS go, in every database and tenant, and younger ones stay", async () => {
  const people = await Promise.all(Array.from({ length: 21 }, () => signUp()));
  const [first, last] = [people[0], people.at(-1)] as [Person, Person];
  for (const person of people) {
    await fill(env.DB, person, 3, Date.now() - 40 * DAY_MS);
    await fill(env.DB, person, 2, Date.now() - 29 * DAY_MS);
  }
  await fill(env.DB, first, 12_000, Date.now() - 50 * DAY_MS);
  await fill(deliveryDb, last, 7_000, Date.now() - 50 * DAY_MS);
  const before = (await countOf(deliveryDb, last)) ?? 0;
  await hourly({ AUDIT_RETENTION_DAYS: "30" });
  for (const person of people) expect(await countOf(env.DB, person)).toBe(3);
  const isShared = env.DB === deliveryDb;
  expect(await countOf(deliveryDb, last)).toBe(isShared ? 3 : before - 7_000);
  expect(captured.lines("old audit events removed").length).toBeGreaterThan(0);
});

test("a tenant keeps its AUDIT_MAX_ROWS newest events, and it is logged that others went", async () => {
  const [large, small] = [await signUp(), await signUp()];
  const newestMs = Date.now() - 1_000;
  await fill(env.DB, large, 17_500, newestMs);
  await fill(env.DB, small, 9_999, newestMs);
  await hourly({ AUDIT_MAX_ROWS: "10000" });
  expect([await countOf(env.DB, large), await countOf(env.DB, small)]).toEqual([10_000, 10_000]);
  const { data } = (await call("GET", "/audit?limit=1", { token: large.token })).body;
  expect(data[0].action).toBe("auth.registered");
  const [line] = captured.lines("audit events beyond the cap removed");
  expect(line).toMatchObject({ level: "warn", tenantId: large.tenantId, count: 7_501 });
});

test("a forgotten person leaves their id, without name, address and device, and nobody else is forgotten", async () => {
  const [person, other] = [await signUp(), await signUp()];
  for (const one of [person, other]) {
    await subscribe(one, newInbox("200").url);
    await call("POST", "/api-keys", {
      token: one.token,
      body: { name: "k", scopes: ["audit.read"] },
      headers: { "user-agent": "x" },
    });
    await call("POST", "/auth/login", { body: { email: one.email, password: "wrong password" } });
    await eventually("the failed login", async () => {
      const found = await call("GET", "/audit?action=auth.login_failed", { token: one.token });
      return found.body.data.length > 0;
    });
  }
  const deps = await createDeps(env, createExecutionContext());
  await forgetUser(deps, person.userId);
  const { data } = (await call("GET", "/audit", { token: person.token })).body;
  expect(data.length).toBeGreaterThan(2);
  for (const { actor, ip, userAgent } of data) expect([actor.name, ip, userAgent]).toEqual([null, null, null]);
  expect(data.at(-1)).toMatchObject({ action: "auth.registered", actor: { kind: "user", id: person.userId } });
  const kept = (await call("GET", "/audit", { token: other.token })).body.data;
  expect(kept.at(-1)).toMatchObject({ actor: { name: other.email } });
});
