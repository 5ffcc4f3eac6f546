/** What purges read in a database that is full of the events of others. */
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUp, signUpVerified } from "../support/client";
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

/** Runs all purges. Returns the rows that they read in the delivery database. */
async function rowsReadByPurges(): Promise<number> {
  let rowsRead = 0;
  const count: Hook = async (_, run, shard) => {
    const result = await run();
    const metas = [result].flat() as { meta?: { rows_read: number } }[];
    if (shard === SHARD) for (const { meta } of metas) rowsRead += meta?.rows_read ?? 0;
    return result;
  };
  for (let minutes = 3; (await openPurges()) > 0; minutes += 2) await purgeOnce(minutes, count);
  return rowsRead;
}

test("nothing is searched for a tenant that never published", async () => {
  await deleteTenant(await signUp());
  expect(await rowsReadByPurges()).toBeLessThan(EVENTS / 10);
});

test("three tenants that published are found in one search", async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => signUpVerified()));
  for (const person of people) await publish(person, 1);
  await Promise.all(people.map(deleteTenant));
  const rowsRead = await rowsReadByPurges();
  expect(rowsRead).toBeGreaterThan(EVENTS);
  // A search reads each event twice, so three would read six times as many.
  expect(rowsRead).toBeLessThan(5 * EVENTS);
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
