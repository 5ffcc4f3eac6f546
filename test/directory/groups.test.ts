/** The groups of a tenant's directory: what it may send, that parallel changes lose nobody, and the roles of rules. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { continueRoles } from "../../src/directory/groups/jobs";
import { judgeHeldAgain } from "../../src/directory/users/judge-again";
import { call } from "../support/client";
import { bring, type Directory, newDirectory, recordOf, scim } from "../support/scim";
import { memberOf, one } from "../support/signed-on";

const SCHEMAS = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
const PATCH = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

const membersOf = (ids: readonly string[]) => ids.map((value) => ({ value }));

async function newGroup(directory: Directory, displayName: string, ids: readonly string[] = []): Promise<string> {
  const body = { schemas: SCHEMAS, displayName, members: membersOf(ids) };
  const { status, body: group } = await scim(directory, "POST", "/Groups", { body });
  expect([status, group.displayName]).toEqual([201, displayName]);
  return group.id;
}

const patch = (directory: Directory, id: string, Operations: object[], more: object = {}) =>
  scim(directory, "PATCH", `/Groups/${id}`, { body: { schemas: PATCH, Operations }, ...more });

const add = (...ids: string[]) => ({ op: "add", path: "members", value: membersOf(ids) });
const remove = (id: string) => ({ op: "remove", path: `members[value eq "${id}"]` });

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

/** A database that fails the caller's nth batch, before it has an effect or after. */
function dying(nth: number, hasEffect: boolean): D1Database {
  let made = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    made += 1;
    if (made !== nth) return env.DB.batch(statements);
    if (hasEffect) await env.DB.batch(statements);
    throw new Error("killed");
  };
  return { prepare: (text: string) => env.DB.prepare(text), batch } as unknown as D1Database;
}

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

async function roleOf({ connection }: Directory, person: string): Promise<string | undefined> {
  const record = await recordOf(connection.id, person);
  return (await memberOf(connection.tenantId, record?.userId ?? ""))?.role;
}

/** What the minute cron does. */
async function runJobs(): Promise<void> {
  const deps = await createDeps(env, createExecutionContext());
  for (const run of [continueRoles, judgeHeldAgain]) await run(deps, 0, "", () => false);
}

async function addSession({ connection }: Directory, userId: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, created_at, expires_at,
      last_activity_at) VALUES (?1, ?2, ?3, 1, ?1, 1, 1, ?4, 1)`,
  )
    .bind(crypto.randomUUID(), userId, connection.tenantId, Number.MAX_SAFE_INTEGER)
    .run();
}

/** What the directory did to people. */
async function actionsOf({ connection }: Directory): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT action FROM audit_events WHERE tenant_id = ? AND actor_kind = 'connection' AND action <> 'user.created'
     ORDER BY action`,
  )
    .bind(connection.tenantId)
    .all<{ action: string }>();
  return results.map(({ action }) => action);
}

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

  describe("that nobody has by default", () => {
    const byGroup = { default: null, rules: [{ group: "Staff", role: "viewer" }], when: "every" } as const;
    const stateOf = async (ruled: Directory, person: string) => {
      const { state, reason } = (await recordOf(ruled.connection.id, person)) ?? {};
      return [state, reason, await roleOf(ruled, person)];
    };

    test("lets people in with their first group, and keeps them out once they leave the last one", async () => {
      const ruled = await newDirectory({ roles: byGroup });
      const { id: person } = await bring(ruled);
      const group = await newGroup(ruled, "Staff", []);
      expect(await stateOf(ruled, person)).toEqual(["held", "no_role", undefined]);
      await patch(ruled, group, [add(person)]);
      await runJobs();
      expect(await stateOf(ruled, person)).toEqual(["active", null, "viewer"]);
      const { userId = "" } = (await recordOf(ruled.connection.id, person)) ?? {};
      await addSession(ruled, userId);
      await patch(ruled, group, [remove(person)]);
      expect(await stateOf(ruled, person)).toEqual(["held", "no_role", undefined]);
      expect(await one("SELECT count(*) AS count FROM sessions WHERE user_id = ?", userId)).toEqual({ count: 0 });
      expect(await actionsOf(ruled)).toEqual(["directory.held", "directory.held", "member.added", "member.removed"]);
      await scim(ruled, "PUT", `/Groups/${group}`, { body: { displayName: "Staff", members: membersOf([person]) } });
      await runJobs();
      expect(await stateOf(ruled, person)).toEqual(["active", null, "viewer"]);
      await scim(ruled, "DELETE", `/Groups/${group}`);
      expect(await stateOf(ruled, person)).toEqual(["held", "no_role", undefined]);
    });

    test("leaves owners, and whose role somebody has given by hand, where they are", async () => {
      const ruled = await newDirectory({ roles: byGroup });
      const [{ id: owner }, { id: pinned }] = [await bring(ruled), await bring(ruled)];
      const group = await newGroup(ruled, "Staff", [owner, pinned]);
      await runJobs();
      for (const [person, set] of [
        [owner, "role = 'owner'"],
        [pinned, "role_by = 'hand'"],
      ]) {
        await env.DB.prepare(`UPDATE memberships SET ${set} WHERE tenant_id = ? AND user_id = ?`)
          .bind(ruled.connection.tenantId, (await recordOf(ruled.connection.id, person ?? ""))?.userId ?? "")
          .run();
      }
      await patch(ruled, group, [remove(owner), remove(pinned)]);
      expect(await stateOf(ruled, owner)).toEqual(["active", null, "owner"]);
      expect(await stateOf(ruled, pinned)).toEqual(["active", null, "viewer"]);
    });
  });
});
