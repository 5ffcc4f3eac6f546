/** What other rules would change: counted before they are saved. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call } from "../support/client";
import { holding } from "../support/console";
import { countedEnv, readSigners, rowsRead } from "../support/cost";
import { callUnder } from "../support/overrides";
import { bring, newDirectory, recordOf, scim } from "../support/scim";
import { type Connection, memberOf } from "../support/signed-on";

const byGroup = { default: null, rules: [{ group: "Staff", role: "viewer" }], when: "every" } as const;

test("a preview counts who would get which role, who would get in and who not, and changes nothing", async () => {
  const ruled = await newDirectory({ roles: { ...byGroup, default: "member" } });
  const { owner, connection } = ruled;
  const at = `/tenant/connections/${connection.id}`;
  const ids: string[] = [];
  for (let i = 0; i < 4; i += 1) ids.push((await bring(ruled)).id);
  const groupOf = (displayName: string, members: readonly (string | undefined)[]) =>
    scim(ruled, "POST", "/Groups", { body: { displayName, members: members.map((value) => ({ value })) } });
  await groupOf("Staff", ids.slice(0, 2));
  await groupOf("Bosses", ids.slice(1, 3));
  const preview = async (rules: readonly object[]) => {
    const { status, body } = await call("POST", `${at}/roles/preview`, { token: owner.token, body: { rules } });
    if (status === 200) expect([body.data.complete, body.data.people]).toEqual([true, (await everybody()).length]);
    return [status, body.data?.changes];
  };
  const everybody = async () => (await scim(ruled, "GET", "/Users")).body.Resources;
  expect(await preview(byGroup.rules)).toEqual([200, []]);
  const bosses = [{ group: "Bosses", role: "admin" }, ...byGroup.rules];
  expect(await preview(bosses)).toEqual([
    200,
    [
      { from: "member", to: "admin", count: 1 },
      { from: "viewer", to: "admin", count: 1 },
    ],
  ]);
  expect(await preview([])).toEqual([200, [{ from: "viewer", to: "member", count: 2 }]]);
  await call("PATCH", at, { token: owner.token, body: { roles: { default: null } } });
  const late = (await bring(ruled)).id;
  await groupOf("New", [late]);
  expect(await preview([{ group: "New", role: "viewer" }])).toEqual([
    200,
    [
      { from: null, to: "viewer", count: 1 },
      { from: "member", to: null, count: 2 },
      { from: "viewer", to: null, count: 2 },
    ],
  ]);
  expect((await preview([{ group: "New", role: "owner" }]))[0]).toBe(400);
});

test("whom only the directory knows follows its groups again once nobody's hand decides", async () => {
  const ruled = await newDirectory({ roles: byGroup });
  const { id } = await bring(ruled);
  const { tenantId } = ruled.connection;
  const { owner } = ruled;
  await scim(ruled, "POST", "/Groups", { body: { displayName: "Other", members: [{ value: id }] } });
  await call("PATCH", `/tenant/connections/${ruled.connection.id}`, {
    token: owner.token,
    body: { roles: { default: "member" } },
  });
  const { id: second } = await bring(ruled);
  const { userId = "" } = (await recordOf(ruled.connection.id, second)) ?? {};
  const give = (role: string | null) => call("PATCH", `/members/${userId}`, { token: owner.token, body: { role } });
  expect([(await give("admin")).status, (await give(null)).status]).toEqual([200, 200]);
  expect(await memberOf(tenantId, userId ?? "")).toMatchObject({ roleBy: "directory" });
});

/** 10,001 people cost about a second of CPU: fewer would not show that the count ends. */
test("of a large directory the first 10,000 records are looked at, in bites", async () => {
  const ruled = await newDirectory({ roles: byGroup });
  const { owner, connection } = ruled;
  await bring(ruled);
  await seedPeople(connection, 10_000);
  const { counted, cost } = countedEnv();
  await readSigners();
  rowsRead.count = 0;
  const { DB, SHARD_1 } = counted;
  const rules = [{ group: "Few", role: "admin" }, { group: "all", role: "viewer" }, ...byGroup.rules];
  const path = `/api/v1/tenant/connections/${connection.id}/roles/preview`;
  const asked = { method: "POST", path, token: owner.token, body: { rules } };
  const { status, body } = await callUnder({ DB, SHARD_1 }, asked);
  expect([status, body.data]).toEqual([
    200,
    {
      changes: [
        { from: "viewer", to: null, count: 9_000 },
        { from: "viewer", to: "admin", count: 1_000 },
      ],
      people: 10_000,
      complete: false,
    },
  ]);
  // Five bites of 2,000. Of each person the record, the membership, and what the query keeps of them meanwhile.
  expect([cost.trips <= 7, rowsRead.count < 6 * 10_000, cost.rowsWritten]).toEqual([true, true, 0]);
});

/** Adds members with the role viewer whom the directory has, a tenth of them in the group Few. */
async function seedPeople({ id, tenantId }: Connection, count: number): Promise<void> {
  const person = "printf('00000000-0000-7000-8000-%012x', n.i)";
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const statements: [string, ...unknown[]][] = [
    [
      `${numbers} INSERT INTO directory_users (connection_id, id, name_key, user_id, state, state_at, record, version,
         write_id, created_at, updated_at)
       SELECT ?2, ${person}, 'p' || n.i, ${person} || ?2, 'active', 1, '{}', 1, '', 1, 1 FROM n`,
      ...[count, id],
    ],
    [
      `${numbers} INSERT INTO memberships (tenant_id, user_id, role, role_by, created_at)
       SELECT ?2, ${person} || ?3, 'viewer', 'directory', 1 FROM n`,
      ...[count, tenantId, id],
    ],
    [
      `INSERT INTO directory_groups (connection_id, id, name_key, display_name, version, created_at, updated_at)
       VALUES (?1, 'few', 'few', 'Few', 1, 1, 1)`,
      id,
    ],
    [
      `${numbers} INSERT INTO directory_members (connection_id, group_id, person_id)
       SELECT ?2, 'few', ${person} FROM n WHERE n.i % 10 = 0`,
      ...[count, id],
    ],
  ];
  await env.DB.batch(statements.map(([text, ...values]) => env.DB.prepare(text).bind(...values)));
}

test("an owner counts on the console's form what its rules would change, and saves them or not", async () => {
  const ruled = await newDirectory({ roles: { ...byGroup, default: "member" } });
  const browser = await holding(ruled.owner);
  const at = `/connections/${ruled.connection.id}`;
  expect((await browser.get(`${at}/edit`)).html).not.toContain("roles/preview");
  await bring(ruled);
  const { html } = await browser.get(`${at}/edit`);
  expect(html).toContain(`formaction="/console${at}/roles/preview"`);
  const fields = { name: "Acme", "roles.default": "member", "roles.rules": "viewer: Staff" };
  const same = await browser.post(`${at}/roles/preview`, fields);
  expect(same.html).toContain("Nobody would get another role. Looked at: 1 person");
  const { id } = await bring(ruled);
  const group = { displayName: "Bosses", members: [{ value: id }] };
  await scim(ruled, "POST", "/Groups", { body: group });
  const counted = await browser.post(`${at}/roles/preview`, { ...fields, "roles.rules": "admin: Bosses" });
  expect([counted.status, counted.html.includes("1: member → admin")]).toEqual([200, true]);
  expect(counted.html).toContain("admin: Bosses</textarea>");
  const { body } = await call("GET", `/tenant${at}`, { token: ruled.owner.token });
  expect(body.data.roles.rules).toEqual(byGroup.rules);
  const bad = await browser.post(`${at}/roles/preview`, { ...fields, "roles.rules": "owner: Bosses" });
  expect([bad.status, bad.html.includes("Must not be owner")]).toEqual([400, true]);
});
