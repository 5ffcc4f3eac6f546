/** How long the audit log is kept, how much of it, and what is left of a person whose account was deleted. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { deleteExpired } from "../../src/identity/expire";
import { removeOldAudit } from "../../src/tenancy/audit/retention";
import type { AuditEvent } from "../../src/tenancy/audit/schemas";
import { publishAudit } from "../../src/webhooks/subscriptions/audit-feed";
import { call, eventually, logIn, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { hourly } from "../support/engine";
import { faultyDatabase } from "../support/faults/bindings";
import { captureLog } from "../support/log-lines";
import { mailsTo, mailTo } from "../support/mailbox";
import { joinTenant } from "../support/people";
import { purgeAll } from "../support/purges";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { maintain, unpaused } from "../support/upkeep";

const DAY_MS = 86_400_000;
const captured = captureLog();

async function fill(
  database: D1Database,
  { tenantId }: Pick<Person, "tenantId">,
  count: number,
  newestMs: number,
  action = "session.revoked",
): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => newIdAt(newestMs - n));
  await database
    .prepare(
      `INSERT INTO audit_events (tenant_id, id, action, actor_kind) SELECT ?, value, ?, 'system'
        FROM json_each(?)`,
    )
    .bind(tenantId, action, JSON.stringify(ids))
    .run();
}

const countOf = (database: D1Database, { tenantId }: Pick<Person, "tenantId">) =>
  database.prepare("SELECT count(*) AS n FROM audit_events WHERE tenant_id = ?").bind(tenantId).first<number>("n");

test("events older than AUDIT_RETENTION_DAYS go, in every database and tenant, and younger ones stay", async () => {
  const people = await Promise.all(Array.from({ length: 21 }, () => signUp()));
  const [first, last] = [people[0], people.at(-1)] as [Person, Person];
  for (const person of people) {
    await fill(env.DB, person, 3, Date.now() - 40 * DAY_MS);
    await fill(env.DB, person, 2, Date.now() - 29 * DAY_MS);
  }
  await fill(env.DB, first, 3_000, Date.now() - 50 * DAY_MS);
  await fill(deliveryDb, last, 2_000, Date.now() - 50 * DAY_MS);
  const before = (await countOf(deliveryDb, last)) ?? 0;
  await hourly({ AUDIT_RETENTION_DAYS: "30" });
  for (const person of people) expect(await countOf(env.DB, person)).toBe(3);
  const isShared = env.DB === deliveryDb;
  expect(await countOf(deliveryDb, last)).toBe(isShared ? 3 : before - 2_000);
  expect(captured.lines("old audit events removed").length).toBeGreaterThan(0);
});

test("a tenant keeps its AUDIT_MAX_ROWS newest events, and it is logged that others went", async () => {
  const [large, small] = [await signUp(), await signUp()];
  const newestMs = Date.now() - 100 * DAY_MS;
  await fill(env.DB, large, 17_500, newestMs);
  await fill(env.DB, small, 9_999, newestMs);
  await hourly({ AUDIT_MAX_ROWS: "10000" });
  expect([await countOf(env.DB, large), await countOf(env.DB, small)]).toEqual([10_000, 10_000]);
  const { data } = (await call("GET", "/audit?limit=1", { token: large.token })).body;
  expect(data[0].action).toBe("auth.registered");
  const [line] = captured.lines("audit events beyond the cap removed");
  expect(line).toMatchObject({ level: "warn", tenantId: large.tenantId, count: 7_501 });
});

test("no statement holds up the database for long, whether it looks for what is too much or deletes it", async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => signUp()));
  for (const person of people) await fill(env.DB, person, 1_200, Date.now() - 100 * DAY_MS);
  const [large] = people as [Person];
  await fill(env.DB, large, 9_500, Date.now() - 90 * DAY_MS - 1_000, "webhook.updated");
  const real = await createDeps(env, createExecutionContext());
  const most = { read: 0, written: 0 };
  const database = faultyDatabase(env.DB, {
    call: async (_, run) => {
      const result = await run();
      for (const { meta } of [result].flat() as { meta?: { rows_read: number; rows_written: number } }[]) {
        most.read = Math.max(most.read, meta?.rows_read ?? 0);
        most.written = Math.max(most.written, meta?.rows_written ?? 0);
      }
      return result;
    },
  });
  const shards = { ...real.shards, numbers: [0], db: () => createDb(database, real.trips) };
  const config = { ...real.config, auditMaxRows: 9_000 };
  await maintain({ ...real, shards, config }, removeOldAudit);
  expect(await countOf(env.DB, large)).toBe(9_000 + 1_200 + 1);
  // Five tenants with 1,000 events each; 50 events with an entry of an index each.
  expect(most.read).toBeLessThanOrEqual(5_100);
  expect(most.written).toBeLessThanOrEqual(100);
});

test("many events of subscriptions push out no others, nothing younger than 90 days goes, and owners are mailed once", async () => {
  const person = await signUpVerified();
  const [oldMs, youngMs] = [Date.now() - 100 * DAY_MS, Date.now() - 80 * DAY_MS];
  await fill(env.DB, person, 300, oldMs - DAY_MS);
  await fill(env.DB, person, 16_000, oldMs, "webhook.updated");
  const young = await signUpVerified();
  await fill(env.DB, young, 12_000, youngMs);
  await fill(env.DB, { tenantId: "operators" }, 12_000, oldMs);
  for (let hours = 0; hours < 2; hours += 1) await hourly({ AUDIT_MAX_ROWS: "10000" });
  const of = (action: string) =>
    env.DB.prepare("SELECT count(*) AS n FROM audit_events WHERE tenant_id = ? AND action = ?")
      .bind(person.tenantId, action)
      .first<number>("n");
  expect([await of("session.revoked"), await of("webhook.updated")]).toEqual([300, 10_000]);
  expect(await countOf(env.DB, young)).toBeGreaterThanOrEqual(12_000);
  expect(await countOf(env.DB, { tenantId: "operators" })).toBeGreaterThanOrEqual(12_000);
  await fill(env.DB, person, 2_000, oldMs - 2 * DAY_MS, "webhook.updated");
  await mailTo(person.email, /audit log of your tenant is full/);
  await hourly({ AUDIT_MAX_ROWS: "10000" });
  expect(await of("webhook.updated")).toBe(10_000);
  expect(mailsTo(person.email).filter(({ subject }) => /is full/.test(subject))).toHaveLength(1);
});

test("work that is stopped goes on where it was, also in the middle of a tenant's events", async () => {
  const tenants = await Promise.all(Array.from({ length: 3 }, () => signUp()));
  const oldMs = Date.now() - 400 * DAY_MS;
  for (const person of tenants) await fill(env.DB, person, 20, oldMs);
  const large = tenants[1] as Person;
  await fill(env.DB, large, 12_000, Date.now() - 100 * DAY_MS);
  const deps = unpaused(await createDeps({ ...env, AUDIT_MAX_ROWS: "10000" }, createExecutionContext()));
  let turns = 0;
  for (let cursor: string | null = ""; cursor !== null; turns += 1) {
    let asked = 0;
    cursor = await removeOldAudit(deps, 0, cursor, () => asked++ > 0);
  }
  expect(turns).toBeGreaterThan(6);
  expect(await countOf(env.DB, large)).toBe(10_000);
  for (const { tenantId } of tenants) {
    const old = env.DB.prepare("SELECT count(*) AS n FROM audit_events WHERE tenant_id = ? AND id < ?");
    expect(await old.bind(tenantId, newIdAt(oldMs + DAY_MS)).first<number>("n")).toBe(0);
  }
});

test("of a deleted person the log keeps the id, without name, address and device, also of keys that ended long ago", async () => {
  let host = await signUpVerified();
  await subscribe(host, newInbox("200").url, { events: ["postern.audit"] });
  let guest = await joinTenant(host, "admin");
  const body = { name: "key of the guest", scopes: ["webhook.create"] };
  const { id, key } = (await call("POST", "/api-keys", { token: guest.token, body })).body.data;
  await subscribe({ ...guest, token: key }, newInbox("200").url);
  await call("DELETE", `/api-keys/${id}`, { token: guest.token });
  await call("POST", "/auth/login", { body: { email: guest.email, password: "wrong password" } });
  const listed = async (): Promise<AuditEvent[]> =>
    (await call("GET", "/audit?limit=200", { token: host.token })).body.data;
  await eventually("the failed login", async () =>
    (await listed()).some(({ action }) => action === "auth.login_failed"),
  );
  const deps = await createDeps(env, createExecutionContext());
  await deleteExpired({ ...deps, now: () => Date.now() + 60 * DAY_MS }, 0, "", () => false);
  [host, guest] = [await logIn(host), await logIn(guest)];
  await maintain(deps, publishAudit);
  await call("DELETE", "/auth/me", { token: guest.token, body: { password: PASSWORD, deleteTenants: true } });
  await purgeAll(60);
  const left = (await listed()).filter(({ actor, target }) =>
    [guest.userId, id].includes(actor.id ?? target?.id ?? ""),
  );
  expect(left.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["auth.login_failed", "api_key.deleted", "webhook.created", "member.joined"]),
  );
  for (const { actor, ip, userAgent } of left) expect([actor.name, ip, userAgent]).toEqual([null, null, null]);
  const { results } = await deliveryDb
    .prepare("SELECT payload FROM events WHERE tenant_id = ? AND type = 'postern.audit'")
    .bind(host.tenantId)
    .all<{ payload: string }>();
  const published = results.map(({ payload }) => JSON.parse(payload) as AuditEvent);
  for (const event of left.filter(({ action }) => action !== "auth.account_deleted"))
    expect(published).toContainEqual(event);
  expect((await listed()).at(-1)).toMatchObject({ actor: { name: host.email } });
});
