/**
 * A directory of 10,000 people: what its calls read and write must not grow with it. The rows are counted, as D1 bills
 * them. Making the people takes a second of CPU, and reading all of them page by page another one.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call } from "../support/client";
import { costOf as costOfCall, countedEnv, readSigners, rowsRead } from "../support/cost";
import { type Directory, newDirectory, newUser, recordOf, scim } from "../support/scim";
import { add, newGroup, patchGroup, remove } from "../support/scim-groups";
import { seededId, seedPeople } from "../support/seeded-directory";
import { memberOf, one } from "../support/signed-on";

const PEOPLE = 10_000;
const IN_GROUP = 2_000;
const ROLES = { default: "member", rules: [{ group: "Everybody", role: "admin" }], when: "every" } as const;

let directory: Directory;
let domain: string;

beforeAll(async () => {
  directory = await newDirectory({ roles: ROLES });
  domain = directory.connection.domain;
  await seedPeople(directory, PEOPLE);
  // The first request of an hour notes that the directory has called.
  await scim(directory, "GET", "/Users?count=0");
  await readSigners();
});

/** Sends a request of `send` with counted databases. */
async function costOf(send: (variables: Record<string, unknown>) => ReturnType<typeof scim>) {
  const { counted, cost } = countedEnv();
  rowsRead.count = 0;
  const { DB, SHARD_1 } = counted;
  const answer = await send({ DB, SHARD_1 });
  return { ...answer, read: rowsRead.count, written: cost.rowsWritten };
}
const get = (path: string) => costOf((variables) => scim(directory, "GET", path, { variables }));
const idsOf = (resources: { id: string }[]): string[] => resources.map(({ id }) => id);
const everybody = (): string[] => Array.from({ length: PEOPLE }, (_, i) => seededId(i + 1));

test("pages by cursor have everybody once, and each reads its own people alone", async () => {
  const found: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { status, body, read } = await get(`/Users?count=200&cursor=${cursor}`);
    expect([status, body.totalResults]).toEqual([200, PEOPLE]);
    expect(read).toBeLessThanOrEqual(210);
    found.push(...idsOf(body.Resources));
    cursor = body.nextCursor;
  }
  expect(found).toEqual(everybody());
});

test.each([1, 101, 5_001, 9_951])("a page by index reads its people and those before it: %i", async (startIndex) => {
  const { body, read } = await get(`/Users?startIndex=${startIndex}&count=100`);
  expect(idsOf(body.Resources)).toEqual(everybody().slice(startIndex - 1, startIndex + 99));
  expect(body).toMatchObject({ totalResults: PEOPLE, startIndex });
  expect(read).toBeLessThanOrEqual(110 + startIndex);
});

test.each([
  'userName eq "PERSON-5000@{domain}"',
  'externalId eq "ext-5000"',
  `id eq "${seededId(5_000)}"`,
  'emails.value eq "person-5000@{domain}"',
  'emails[type eq "home"].value eq "SECOND-5000@home.example"',
])("a look-up by %s reads few rows", async (filter) => {
  const sent = encodeURIComponent(filter.replace("{domain}", domain));
  const { body, read } = await get(`/Users?filter=${sent}`);
  expect([body.totalResults, idsOf(body.Resources)]).toEqual([1, [seededId(5_000)]]);
  // Each address in a record is read as a row.
  expect(read).toBeLessThanOrEqual(16);
});

test("a person who comes, changes and leaves costs what it costs in a small directory", async () => {
  const body = newUser(directory);
  const made = await costOf((variables) => scim(directory, "POST", "/Users", { body, variables }));
  expect([made.status, made.read <= 20, made.written <= 23]).toEqual([201, true, true]);
  const id = seededId(7_000);
  const send = (path: string, value: unknown) => (variables: Record<string, unknown>) =>
    scim(directory, "PATCH", `/Users/${id}`, { body: { Operations: [{ op: "replace", path, value }] }, variables });
  const changed = await costOf(send("title", "Admiral"));
  expect([changed.status, changed.read <= 16, changed.written <= 3]).toEqual([200, true, true]);
  const left = await costOf(send("active", false));
  expect([left.status, left.read <= 75, left.written <= 12]).toEqual([200, true, true]);
  const { userId = "" } = (await recordOf(directory.connection.id, id)) ?? {};
  expect(await memberOf(directory.connection.tenantId, userId)).toBeNull();
});

test("the few who are held are found without the others", async () => {
  const { id, tenantId } = directory.connection;
  const ids = [seededId(9_001), seededId(9_002)];
  await env.DB.prepare("UPDATE directory_users SET state = 'held', reason = 'removed' WHERE id IN (?, ?)")
    .bind(...ids)
    .run();
  const [method, path, asked] = ["GET", `/tenant/connections/${id}/people?state=held`, directory.owner] as const;
  const { body } = await call(method, path, asked);
  expect([body.data.map((person: { id: string }) => person.id), body.nextCursor]).toEqual([ids, null]);
  rowsRead.count = 0;
  await costOfCall(method, path, asked);
  expect(rowsRead.count).toBeLessThan(50);
  expect(await one("SELECT directory_held AS held FROM connections WHERE tenant_id = ?", tenantId)).toEqual({
    held: 2,
  });
});

describe("a group of 2,000", () => {
  const ids = everybody().slice(0, IN_GROUP);
  const stranger = seededId(IN_GROUP + 1);
  const patching = (id: string, operation: object) =>
    costOf((variables) => patchGroup(directory, id, [operation], { variables }));
  const inGroup = (id: string) =>
    one<{ count: number }>("SELECT count(*) AS count FROM directory_members WHERE group_id = ?", id);

  /** Who changes a group counts 501 of its members, and whoever adds to it all of them. */
  test.each([
    ["Sales", 0],
    ["Everybody", 6],
  ])("changes by one member without writing the others: %s", async (name, writtenForRole) => {
    const id = await newGroup(directory, name);
    const filled = await patching(id, add(...ids));
    expect([filled.status, await inGroup(id)]).toEqual([204, { count: IN_GROUP }]);
    // The roles of so many come by a job.
    expect([filled.read <= 5 * IN_GROUP + 100, filled.written <= 2 + 2 * IN_GROUP + 3]).toEqual([true, true]);
    const full = await patching(id, add(stranger));
    expect([full.status, full.written]).toEqual([400, 0]);
    const left = await patching(id, remove(ids[0] ?? ""));
    expect([left.status, left.read <= 600, left.written <= 3 + writtenForRole]).toEqual([204, true, true]);
    const came = await patching(id, add(stranger));
    expect([came.status, came.read <= IN_GROUP + 600, came.written <= 3 + writtenForRole]).toEqual([204, true, true]);
    const repeated = await patching(id, add(...ids.slice(1), stranger));
    expect([repeated.status, repeated.written, await inGroup(id)]).toEqual([204, 0, { count: IN_GROUP }]);
  });

  test("shows its name and not half of its members, of which 1,001 are read", async () => {
    const { body, read } = await get("/Groups");
    expect(body.Resources.map(({ displayName, members }: Record<string, unknown>) => [displayName, members])).toEqual([
      ["Sales", undefined],
      ["Everybody", undefined],
    ]);
    expect(read).toBeLessThanOrEqual(2 * 1_001 + 20);
  });
});

test("of parallel people just below the cap, as many are made as there is room for", async () => {
  const { id } = directory.connection;
  const countersOf = () =>
    one<{ count: number }>(
      "SELECT directory_active + directory_inactive + directory_held AS count FROM connections WHERE id = ?",
      id,
    );
  const { count = 0 } = (await countersOf()) ?? {};
  const variables = { MAX_DIRECTORY_USERS: String(count + 3) };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => scim(directory, "POST", "/Users", { body: newUser(directory), variables })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(403)]);
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ status: "403" });
  const stored = await one("SELECT count(*) AS count FROM directory_users WHERE connection_id = ?", id);
  expect([await countersOf(), stored]).toEqual([{ count: count + 3 }, { count: count + 3 }]);
});
