/** The groups of a tenant's directory: what it may send, that parallel changes lose nobody, and the roles of rules. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { bring, type Directory, newDirectory, recordOf, scim } from "../support/scim";
import { add, dying, membersOf, newGroup, patchGroup as patch, remove, roleOf, runJobs } from "../support/scim-groups";
import { memberOf, one } from "../support/signed-on";

const inGroup = async (directory: Directory, id: string): Promise<string[]> => {
  const { body } = await scim(directory, "GET", `/Groups/${id}`);
  return (body.members as { value: string }[]).map(({ value }) => value).sort();
};

const versionOf = async (directory: Directory, id: string): Promise<string> =>
  (await scim(directory, "GET", `/Groups/${id}?attributes=meta`)).body.meta.version;

let directory: Directory;
let people: string[];

beforeAll(async () => {
  directory = await newDirectory();
  people = [];
  for (let i = 0; i < 50; i += 1) people.push((await bring(directory)).id);
});

describe("a group", () => {
  test("is made, found, changed and deleted as directories do", async () => {
    const [anna = "", bea = "", carl = ""] = people;
    const id = await newGroup(directory, "Sales", [anna]);
    const found = async (filter: string) => {
      const { status, body } = await scim(directory, "GET", `/Groups?filter=${encodeURIComponent(filter)}`);
      return [status, body.totalResults, ...body.Resources.map((group: { id: string }) => group.id)];
    };
    expect(await found('displayName eq "sales"')).toEqual([200, 1, id]);
    expect(await found(`id eq "${id}" and members eq "${bea}"`)).toEqual([200, 0]);
    expect(
      (await patch(directory, id, [{ op: "Add", path: "members", value: [{ $ref: null, value: bea }] }])).status,
    ).toBe(204);
    expect(await found(`id eq "${id}" and members eq "${bea}"`)).toEqual([200, 1, id]);
    expect(await inGroup(directory, id)).toEqual([anna, bea].sort());
    expect((await scim(directory, "GET", `/Users/${bea}`)).body.groups).toEqual([
      expect.objectContaining({ value: id, display: "Sales" }),
    ]);
    await patch(directory, id, [{ op: "Remove", path: "members", value: [{ value: anna }] }]);
    expect(await inGroup(directory, id)).toEqual([bea]);
    const put = await scim(directory, "PUT", `/Groups/${id}`, {
      body: { displayName: "Sales EU", members: membersOf([carl]) },
    });
    expect([put.status, put.body]).toMatchObject([200, { displayName: "Sales EU", members: [{ value: carl }] }]);
    const part = await patch(directory, id, [], { headers: {} });
    expect(part.status).toBe(204);
    expect((await scim(directory, "DELETE", `/Groups/${id}`)).status).toBe(204);
    expect((await scim(directory, "GET", `/Groups/${id}`)).status).toBe(404);
    expect((await scim(directory, "GET", `/Users/${carl}`)).body).not.toHaveProperty("groups");
  });

  test("is not written where nothing changes, and has one version for each change", async () => {
    const [anna = ""] = people;
    const id = await newGroup(directory, "Versions", [anna]);
    await patch(directory, id, [
      add(anna),
      remove(people[1] ?? ""),
      { op: "replace", value: { displayName: "Versions" } },
    ]);
    expect(await versionOf(directory, id)).toBe('W/"1"');
    await patch(directory, id, [{ op: "replace", value: { displayName: "Versions 2" } }]);
    expect(await versionOf(directory, id)).toBe('W/"2"');
    const stale = { headers: { "if-match": 'W/"1"' } };
    expect((await patch(directory, id, [remove(anna)], stale)).status).toBe(412);
    expect((await scim(directory, "DELETE", `/Groups/${id}`, stale)).status).toBe(412);
    expect((await scim(directory, "GET", `/Groups/${id}`, { headers: { "if-none-match": 'W/"2"' } })).status).toBe(304);
    expect(await inGroup(directory, id)).toEqual([anna]);
  });

  test.each([
    ["a name that is taken", { displayName: "TAKEN" }, 409, "uniqueness"],
    ["somebody unknown", { displayName: "X", members: [{ value: crypto.randomUUID() }] }, 400, "invalidValue"],
    ["a group in it", { displayName: "X", members: [{ value: "x", type: "Group" }] }, 400, "invalidValue"],
    ["no name", {}, 400, "invalidValue"],
    ["no object", [], 400, "invalidValue"],
  ])("is refused with %s, and nothing is written", async (_, body, status, scimType) => {
    const taken = await scim(directory, "POST", "/Groups", { body: { displayName: "Taken" } });
    expect([201, 409]).toContain(taken.status);
    expect((await scim(directory, "POST", "/Groups", { body })).body).toMatchObject({
      status: String(status),
      scimType,
    });
    const counted = await one<{ count: number }>(
      "SELECT count(*) AS count FROM directory_groups WHERE display_name = 'X'",
    );
    expect(counted).toEqual({ count: 0 });
  });

  test("of another directory is not there", async () => {
    const other = await newDirectory();
    const id = await newGroup(directory, "Apart", []);
    const stranger = await bring(other);
    for (const method of ["GET", "DELETE"]) expect((await scim(other, method, `/Groups/${id}`)).status).toBe(404);
    expect((await patch(other, id, [add(stranger.id)])).status).toBe(404);
    expect((await patch(directory, id, [add(stranger.id)])).body).toMatchObject({ scimType: "invalidValue" });
    expect((await scim({ ...directory, token: other.token }, "GET", "/Groups")).status).toBe(401);
    expect(await inGroup(directory, id)).toEqual([]);
  });
});

// It costs two seconds: 50 people come by requests of their own, and each changes the group in another one.
test("50 parallel changes with kills lose nobody once the directory has repeated them, and nobody's role", async () => {
  const ruled = await newDirectory({
    roles: { default: "member", rules: [{ group: "Admins", role: "admin" }], when: "every" },
  });
  const all = await Promise.all(Array.from({ length: 50 }, async () => (await bring(ruled)).id as string));
  const [leavers, comers] = [all.slice(0, 25), all.slice(25)];
  const id = await newGroup(ruled, "Admins", leavers);
  const changes = [...leavers.map(remove), ...comers.map((one) => add(one))];
  const sent = changes.map((change, i) => {
    const variables = i % 3 === 0 ? {} : { DB: dying(2, i % 3 === 1) };
    return patch(ruled, id, [change], { variables });
  });
  const failed = (await Promise.all(sent)).flatMap(({ status }, i) => (status === 204 ? [] : [changes[i] ?? {}]));
  expect(failed.length).toBeGreaterThan(30);
  await Promise.all(failed.map((change) => patch(ruled, id, [change])));
  expect(await inGroup(ruled, id)).toEqual([...comers].sort());
  expect(await versionOf(ruled, id)).toBe('W/"51"');
  const roles = await Promise.all(all.map((person) => roleOf(ruled, person)));
  expect(roles).toEqual([...leavers.map(() => "member"), ...comers.map(() => "admin")]);
});

describe("a role by rules", () => {
  const roles = { default: "member", rules: [{ group: "Boss", role: "admin" }], when: "every" } as const;

  test("follows the groups at once, ends the tokens of the former one, and is recorded", async () => {
    const ruled = await newDirectory({ roles });
    const { id: person } = await bring(ruled);
    const group = await newGroup(ruled, "Boss", [person]);
    expect(await roleOf(ruled, person)).toBe("admin");
    const { userId = "" } = (await recordOf(ruled.connection.id, person)) ?? {};
    const { tenantId } = ruled.connection;
    expect(await one("SELECT 1 AS found FROM revocations WHERE key = ?", `m:${tenantId}:${userId}`)).toEqual({
      found: 1,
    });
    const recorded = await one<{ meta: string }>(
      "SELECT meta FROM audit_events WHERE tenant_id = ? AND action = 'member.role_changed'",
      tenantId,
    );
    expect(JSON.parse(recorded?.meta ?? "")).toEqual({
      from: "member",
      to: "admin",
      method: "directory",
      connection: ruled.connection.id,
    });
    await scim(ruled, "DELETE", `/Groups/${group}`);
    expect(await roleOf(ruled, person)).toBe("member");
  });

  test("stays when somebody has given it by hand, until it follows the rules again, and owners stay owners", async () => {
    const ruled = await newDirectory({ roles });
    const [{ id: pinned }, { id: owner }] = [await bring(ruled), await bring(ruled)];
    const group = await newGroup(ruled, "Boss", []);
    const { tenantId } = ruled.connection;
    await env.DB.prepare("UPDATE memberships SET role = 'owner' WHERE tenant_id = ? AND user_id = ?")
      .bind(tenantId, (await recordOf(ruled.connection.id, owner))?.userId ?? "")
      .run();
    const { userId = "" } = (await recordOf(ruled.connection.id, pinned)) ?? {};
    await call("PATCH", `/members/${userId}`, { token: ruled.owner.token, body: { role: "viewer" } });
    await patch(ruled, group, [add(pinned, owner)]);
    expect([await roleOf(ruled, pinned), await roleOf(ruled, owner)]).toEqual(["viewer", "owner"]);
  });

  test("is given by a job after a new name, which begins anew when more changes", async () => {
    const ruled = await newDirectory({ roles });
    const { id: person } = await bring(ruled);
    const group = await newGroup(ruled, "Team", [person]);
    await patch(ruled, group, [{ op: "replace", path: "displayName", value: "Boss" }]);
    const cursorOf = () =>
      one<{ cursor: string }>("SELECT cursor FROM directory_jobs WHERE connection_id = ?", ruled.connection.id);
    expect([await roleOf(ruled, person), await cursorOf()]).toEqual(["member", { cursor: "" }]);
    await runJobs();
    expect([await roleOf(ruled, person), await cursorOf()]).toEqual(["admin", null]);
  });
});

test.each(["keep", "remove"])("a deleted connection leaves nothing of its directory: members %s", async (members) => {
  const directory = await newDirectory();
  const { id, tenantId } = directory.connection;
  const person = await bring(directory);
  const { userId = "" } = (await recordOf(id, person.id)) ?? {};
  await newGroup(directory, "Staff", [person.id]);
  const { token } = directory.owner;
  expect((await call("DELETE", `/tenant/connections/${id}`, { token, body: {} })).status).toBe(400);
  expect((await call("DELETE", `/tenant/connections/${id}`, { token, body: { members } })).status).toBe(200);
  expect((await scim(directory, "GET", "/Users")).status).toBe(401);
  await runJobs();
  for (const table of ["users", "groups", "members", "jobs"]) {
    const left = await one(`SELECT count(*) AS count FROM directory_${table} WHERE connection_id = ?`, id);
    expect([table, left]).toEqual([table, { count: 0 }]);
  }
  expect((await memberOf(tenantId, userId)) !== null).toBe(members === "keep");
});

test("the console lists the groups with their members and the roles of the rules, page by page", async () => {
  const rules = [{ group: "Group 00", role: "admin" }] as const;
  const directory = await newDirectory({ roles: { default: "member", rules, when: "every" } });
  const { id } = await bring(directory);
  for (let i = 0; i < 51; i += 1) {
    const body = { displayName: `Group ${String(i).padStart(2, "0")}`, members: i === 0 ? [{ value: id }] : [] };
    await scim(directory, "POST", "/Groups", { body });
  }
  const browser = await holding(directory.owner);
  const at = `/directories/${directory.connection.id}`;
  expect((await browser.get(at)).html).toContain(`href="/console${at}/groups"`);
  const first = (await browser.get(`${at}/groups`)).html;
  expect(first).toMatch(/Group 00<\/td><td>1<\/td><td>admin<\/td>/);
  expect(first).toMatch(/Group 49<\/td><td>0<\/td><td>none<\/td>/);
  expect(first).not.toContain("Group 50");
  const next = first.match(/href="\/console(\/directories\/[^"]+cursor=[^"]+)"/)?.[1] ?? "";
  expect((await browser.get(next)).html).toContain("Group 50");
  const stranger = await holding(await signUpVerified());
  expect((await stranger.get(`${at}/groups`)).status).toBe(404);
});
