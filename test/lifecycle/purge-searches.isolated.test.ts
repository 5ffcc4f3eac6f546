/** What purges read in a database that is full of the events of others. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { TENANT_STEPS } from "../../src/lifecycle/deletion/tenant-steps-store";
import { USER_STEPS } from "../../src/lifecycle/deletion/user-steps-store";
import { call, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { type Hook, occurrencesOf, openPurges, purgeAll, purgeOnce } from "../support/purges";
import { publish } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const EVENTS = 3_000;

beforeAll(async () => {
  await purgeAll();
  // Other files empty all tables.
  await deliveryDb.prepare("INSERT OR REPLACE INTO publishers (tenant_id, since) VALUES ('', 0)").run();
  await deliveryDb
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
      INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
        SELECT 'g' || i, 'other', 'T', '1', 0, 1 FROM n`)
    .run();
});

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
  expect(await rowsReadByPurges()).toBeLessThan(EVENTS / 10);
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

test("three tenants that published are found in one search", async () => {
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
