/** What purges read in a database that is full of the events of others. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { firstIdAt } from "../../src/base/db/ids";
import { TENANT_STEPS } from "../../src/lifecycle/deletion/tenant-steps-store";
import { USER_STEPS } from "../../src/lifecycle/deletion/user-steps-store";
import { call, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { costOf, rowsRead } from "../support/cost";
import { operate, operator } from "../support/operators";
import { type Hook, occurrencesOf, openPurges, purgeAll, purgeOnce } from "../support/purges";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const EVENTS = 3_000;
const DAY_MS = 86_400_000;

beforeAll(async () => {
  await purgeAll();
  // Other files empty all tables.
  await deliveryDb.prepare("INSERT OR REPLACE INTO publishers (tenant_id, since) VALUES ('', 0)").run();
  await addEvents("other", EVENTS, Date.now() - 3 * DAY_MS);
});

/** Adds events of a tenant from this time on (Unix ms). */
async function addEvents(tenantId: string, count: number, fromMs: number): Promise<void> {
  await deliveryDb
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
        SELECT ?2 || '-' || ?3 || i, ?3, 'T', '1', 0, ?4 FROM n`)
    .bind(count, firstIdAt(fromMs), tenantId, fromMs)
    .run();
}

const deleteTenant = ({ token }: Person) => call("DELETE", "/tenant", { token, body: {} });

/** Runs all purges. Returns the rows that they read in a database. */
async function rowsReadByPurges(database = SHARD): Promise<number> {
  let rowsRead = 0;
  const count: Hook = async (_, run, shard) => {
    const result = await run();
    const metas = [result].flat() as { meta?: { rows_read: number } }[];
    if (shard === database) for (const { meta } of metas) rowsRead += meta?.rows_read ?? 0;
    return result;
  };
  for (let minutes = 3; (await openPurges()) > 0; minutes += 2) await purgeOnce(minutes, count);
  return rowsRead;
}

test("nothing is searched for a tenant that never published", async () => {
  await deleteTenant(await signUp());
  // All other steps together read about 300.
  expect(await rowsReadByPurges()).toBeLessThan(EVENTS / 8);
});

test("reports of imports, mails and platform keys of others are not read", async () => {
  const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})`;
  await env.DB.batch(
    [
      `INSERT INTO imports (id, dry_run, on_existing, state, actor, rows, created, updated, skipped, refused, line,
         position, lease, leased_until, is_cleared, created_at, ended_at)
         VALUES ('done', 0, 'skip', 'finished', '{}', 0, 0, 0, 0, 0, 0, 0, '', 0, 1, 1, 2)`,
      `INSERT INTO import_reports (import_id, last_line, entries) ${many} SELECT 'done', i, '[]' FROM n`,
      `INSERT INTO alert_mails (id, claimed_at) ${many} SELECT i || ':a tenant:a person', 1 FROM n`,
      `INSERT INTO platform_keys (id, name, prefix, scopes, created_at)
         ${many} SELECT 'k' || i, '', '', '[]', 1 FROM n`,
    ].map((text) => env.DB.prepare(text)),
  );
  const { token } = await signUp();
  await call("DELETE", "/auth/me", { token, body: { password: PASSWORD, deleteTenants: true } });
  expect(await rowsReadByPurges(0)).toBeLessThan(EVENTS / 4);
});

test.each([
  ["an account", USER_STEPS],
  ["a tenant", TENANT_STEPS],
])("each step of the purge of %s has a name of its own: a purge goes on at the first with its name", (_, steps) => {
  const names = steps.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test("a tenant that published on some days is found among those days, and nothing of the days between is read", async () => {
  const person = await signUpVerified();
  await addEvents(person.tenantId, 2, Date.now() - 9 * DAY_MS);
  await addEvents(person.tenantId, 2, Date.now() - 6 * DAY_MS);
  await publish(person, 1);
  // Each of three days has strangers' events too.
  for (const days of [9, 6, 0]) await addEvents("other", 40, Date.now() - days * DAY_MS);
  await deleteTenant(person);
  expect(await rowsReadByPurges()).toBeLessThan(EVENTS / 3);
  expect(await occurrencesOf(person.tenantId)).toEqual([]);
});

test("before the day since which days are noted, a tenant's events are found on every day", async () => {
  const person = await signUpVerified();
  await addEvents(person.tenantId, 2, Date.now() - 8 * DAY_MS);
  await addEvents(person.tenantId, 2, Date.now() - 4 * DAY_MS);
  const day = (days: number) => Math.floor(Date.now() / DAY_MS) - days;
  const noteFrom = (days: number) =>
    deliveryDb.prepare("UPDATE publishers SET newest_day = ? WHERE tenant_id = ''").bind(days).run();
  // As if the former release had stored them.
  await deliveryDb
    .prepare("UPDATE publishers SET newest_day = 0, days = 0 WHERE tenant_id = ?")
    .bind(person.tenantId)
    .run();
  await noteFrom(day(2));
  await deleteTenant(person);
  expect(await rowsReadByPurges()).toBeGreaterThan(EVENTS);
  expect(await occurrencesOf(person.tenantId)).toEqual([]);
  await noteFrom(0);
});

test.each([
  ["the same day", [5, 5], 1n],
  ["two days, the earlier one last", [5, 7], 0b101n],
  ["62 days apart", [70, 8], 1n + 2n ** 62n],
  ["more than 63 days apart", [90, 8, 80], 1n],
])("a publisher notes %s", async (_, days, bits) => {
  const tenantId = crypto.randomUUID();
  for (const [number, ago] of days.entries()) await addEvents(tenantId, 1, Date.now() - ago * DAY_MS + number);
  const row = await deliveryDb
    .prepare("SELECT CAST(days AS text) AS days, newest_day AS newestDay FROM publishers WHERE tenant_id = ?")
    .bind(tenantId)
    .first();
  const newestDay = Math.floor((Date.now() - Math.min(...days) * DAY_MS) / DAY_MS);
  expect(row).toEqual({ days: String(bits), newestDay });
});

test("three tenants that published are found in one search", async () => {
  await addEvents("strangers", EVENTS, Date.now());
  const people = await Promise.all(Array.from({ length: 3 }, () => signUpVerified()));
  for (const person of people) await publish(person, 1);
  await Promise.all(people.map(deleteTenant));
  const rowsRead = await rowsReadByPurges();
  expect(rowsRead).toBeGreaterThan(EVENTS);
  // A search reads each event once, so three would read three times as many.
  expect(rowsRead).toBeLessThan(2 * EVENTS);
  for (const { tenantId } of people) expect(await occurrencesOf(tenantId)).toEqual([]);
});

test("a tenant that publishes has one row, however often it publishes", async () => {
  const person = await signUpVerified();
  for (let count = 0; count < 3; count += 1) await publish(person, count);
  const { results } = await deliveryDb
    .prepare("SELECT tenant_id FROM publishers WHERE tenant_id = ?")
    .bind(person.tenantId)
    .all();
  expect(results).toHaveLength(1);
});

test("the page of a tenant for operators reads no events of days after its last one, or none at all, in seven calls", async () => {
  const op = await operator();
  const [owner, quiet] = [await signUpVerified(), await signUpVerified()];
  for (const person of [owner, quiet]) await subscribe(person, newInbox("200").url, { events: ["Unheard"] });
  await addEvents("strangers", EVENTS, Date.now());
  await addEvents(owner.tenantId, 1, Date.now() - 5 * DAY_MS);
  for (const [{ tenantId }, events] of [
    [owner, 1],
    [quiet, 0],
  ] as const) {
    rowsRead.count = 0;
    const cost = await costOf("GET", `/operator/tenants/${tenantId}`, { token: op.token });
    expect(cost.status).toBe(200);
    expect(cost.trips).toBeLessThanOrEqual(7);
    expect(rowsRead.count).toBeLessThan(EVENTS / 4);
    expect((await operate(op, "GET", `/tenants/${tenantId}`)).body.data.published).toMatchObject({ events });
  }
});
