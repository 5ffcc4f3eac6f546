/** What a directory's calls cost D1: trips, rows read, and rows written, indexes included. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { call } from "../support/client";
import { countedEnv, readSigners, rowsRead } from "../support/cost";
import { bring, type Directory, newDirectory, newUser, scim } from "../support/scim";
import { membersOf } from "../support/scim-groups";
import { signOnAs, wordOf } from "../support/signed-on";

const ROLES = { default: "developer", rules: [{ group: "Admins", role: "admin" }], when: "every" } as const;
let directory: Directory;

/** The first request of a minute notes that the directory has called. */
beforeAll(async () => {
  directory = await newDirectory({ roles: ROLES });
  await scim(directory, "GET", "/Users?count=0");
  await readSigners();
});

async function costOf(method: string, path: string, body?: object) {
  const { counted, cost } = countedEnv();
  rowsRead.count = 0;
  const { DB, SHARD_1 } = counted;
  const answer = await scim(directory, method, path, { ...(body && { body }), variables: { DB, SHARD_1 } });
  expect(answer.status).toBeLessThan(300);
  return { ...answer, costs: [cost.trips, rowsRead.count, cost.rowsWritten] as const };
}

const change = (operation: object) => ({ Operations: [operation] });
/** Adds records without accounts: making 100 people by requests takes a second. */
async function seedRecords(count: number): Promise<void> {
  const { id } = directory.connection;
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO directory_users (connection_id, id, name_key, state, state_at, record, version, write_id, created_at,
       updated_at)
     SELECT ?2, printf('00000000-0000-7000-8000-%012x', i), 'seeded' || i, 'held', 1,
       json_object('userName', 'seeded' || i, 'active', json('true')), 1, '', 1, 1 FROM n`,
  )
    .bind(count, id)
    .run();
}

type Costs = readonly [trips: number, rowsRead: number, rowsWritten: number];
const within = (costs: Costs, most: Costs) =>
  expect(costs.map((count, i) => Math.max(count, most[i] ?? 0))).toEqual(most);

/**
 * The token, its connection, the tenant and the size of the database are 4 of the rows that each call reads. Where a
 * look-up finds nothing, it may read the next entry of the index, if another test has made one. The bounds allow that.
 *
 * A new person: whoever has the subject 1, the proved domain 2, the record 6, the account 1, the membership 6. Written:
 * the record with 5 indexes and its counter 7, the account 4, the membership with 4 indexes and its counter 6, two
 * events 6.
 *
 * A change: the record 1, its account 6, the connection as it was judged and the record again 3. The account is read
 * even where attributes alone change, as whoever has lost it meanwhile is held.
 */
test("a look-up, a page, a new person, a change and a repetition", async () => {
  const { body: person, costs: made } = await costOf("POST", "/Users", newUser(directory));
  within(made, [2, 22, 23]);
  const filter = encodeURIComponent(`userName eq "${person.userName}"`);
  within((await costOf("GET", `/Users?filter=${filter}`)).costs, [1, 8, 0]);
  const title = change({ op: "replace", path: "title", value: "Admiral" });
  within((await costOf("PATCH", `/Users/${person.id}`, title)).costs, [2, 18, 3]);
  within((await costOf("PATCH", `/Users/${person.id}`, title)).costs, [1, 15, 0]);
  await seedRecords(100);
  within((await costOf("GET", "/Users?count=100")).costs, [1, 110, 0]);
  within((await costOf("GET", "/Users?count=20&startIndex=81")).costs, [1, 30 + 81, 0]);
});

/**
 * Each of 16 statements asks again whether the record was written, and most of them whether the person is an owner, who
 * stays: 2 rows before the one that they end.
 */
test.each([
  [1, 0],
  [3, 0],
  [3, 3],
])("somebody who leaves with %i sessions and %i keys", async (sessions, keys) => {
  const word = wordOf(directory.connection, { role: { role: "developer", rule: null } });
  for (let i = 1; i < sessions; i += 1) await signOnAs(word);
  const { token } = await signOnAs(word);
  const { id } = await bring(directory, { externalId: word.subject, emails: [{ value: word.email }] });
  for (let i = 0; i < keys; i += 1) {
    const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } });
    expect(key.status).toBe(201);
  }
  const { costs } = await costOf("PATCH", `/Users/${id}`, change({ op: "replace", path: "active", value: false }));
  within(costs, [2, 80 + 4 * sessions + 8 * keys, 12 + sessions + 4 * keys]);
});

/**
 * A POST reads the group once more for its answer. Those who come are read when they are looked up, and again when they
 * are written. The roles of r people cost 50 rows each: the event, the revocation and the membership each judge them by
 * their groups and the rules, as a change at the same time may have given them another role.
 */
test("a group of n members, of whom r get another role", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await bring(directory)).id as string));
  const unruled = await costOf("POST", "/Groups", { displayName: "Sales", members: membersOf(ids) });
  within(unruled.costs, [3, 120, 3 + 2 * 20]);
  const ruled = await costOf("POST", "/Groups", { displayName: "Admins", members: membersOf(ids.slice(0, 10)) });
  within(ruled.costs, [3, 60 + 52 * 10, 2 + 2 * 10 + 7 * 10]);
  const path = `/Groups/${ruled.body.id}`;
  const more = await costOf("PATCH", path, change({ op: "add", path: "members", value: membersOf(ids.slice(10)) }));
  within(more.costs, [2, 70 + 52 * 10, 2 + 2 * 10 + 7 * 10]);
  const removal = change({ op: "remove", path: `members[value eq "${ids[0]}"]` });
  within((await costOf("PATCH", path, removal)).costs, [2, 110, 2 + 2 + 7]);
  within((await costOf("PATCH", path, removal)).costs, [2, 60, 0]);
});
