/** Roles at sign-ons in a tenant with a directory, and changed rules, which give everybody there their roles. */
import { describe, expect, test } from "vitest";
import { call } from "../support/client";
import { bring, type Directory, newDirectory, recordOf } from "../support/scim";
import { add, newGroup, patchGroup, remove, roleOf, runJobs } from "../support/scim-groups";
import { memberOf, one, outcomeOf, signOnAs, signOnWith, wordOf } from "../support/signed-on";

const roles = {
  default: "member",
  rules: [
    { claim: "department", equals: "it", role: "viewer" },
    { group: "Boss", role: "admin" },
  ],
  when: "every",
} as const;

/** What the provider says of somebody whom the directory has. */
const wordAbout = ({ connection }: Directory, { externalId, userName }: { externalId: string; userName: string }) =>
  wordOf(connection, { subject: externalId, email: userName });

describe("a sign-on in a tenant with a directory", () => {
  test("gives the role of the groups there, whatever the claim of groups says", async () => {
    const directory = await newDirectory({ roles });
    const { tenantId } = directory.connection;
    const [boss, other] = [await bring(directory), await bring(directory)];
    const group = await newGroup(directory, "Boss", [boss.id]);
    const { userId } = await signOnAs(wordAbout(directory, boss));
    expect((await memberOf(tenantId, userId))?.role).toBe("admin");
    const claimed = { role: { role: "admin", rule: 1 } } as const;
    for (const word of [{ ...wordAbout(directory, other), ...claimed }, wordOf(directory.connection, claimed)]) {
      expect((await memberOf(tenantId, (await signOnAs(word)).userId))?.role).toBe("member");
    }
    expect(await roleOf(directory, boss.id)).toBe("admin");
    await patchGroup(directory, group, [remove(boss.id)]);
    await signOnAs(wordAbout(directory, boss));
    expect(await roleOf(directory, boss.id)).toBe("member");
  });

  test("gives the role of the first rule that fits, about a claim or a group", async () => {
    const directory = await newDirectory({ roles });
    const boss = await bring(directory);
    await newGroup(directory, "Boss", [boss.id]);
    await signOnAs({ ...wordAbout(directory, boss), claimRule: 0 });
    expect(await roleOf(directory, boss.id)).toBe("viewer");
  });

  test("reads the groups of nobody else who has the address by now", async () => {
    const directory = await newDirectory({ roles });
    const boss = await bring(directory);
    const word = wordOf(directory.connection);
    const { userId } = await signOnAs(word);
    await newGroup(directory, "Boss", [boss.id]);
    await signOnAs({ ...word, email: boss.userName });
    expect((await memberOf(directory.connection.tenantId, userId))?.role).toBe("member");
  });

  test("is refused without a role by the groups and without a default, and lets in who comes into a group", async () => {
    const directory = await newDirectory({ roles: { ...roles, default: null }, provisioning: "both" });
    const { id, tenantId } = directory.connection;
    const boss = await bring(directory);
    const group = await newGroup(directory, "Boss");
    const word = { ...wordAbout(directory, boss), role: { role: "admin", rule: 1 } } as const;
    expect(await outcomeOf(await signOnWith(word))).toBe("no_role");
    await patchGroup(directory, group, [add(boss.id)]);
    expect(await outcomeOf(await signOnWith(word))).toBe("in");
    await runJobs();
    const { state, userId = "" } = (await recordOf(id, boss.id)) ?? {};
    expect([state, (await memberOf(tenantId, userId))?.role]).toEqual(["active", "admin"]);
  });
});

test("20 changes of rules and groups at once end in the roles of the last rules", async () => {
  const directory = await newDirectory({ roles });
  const { id } = directory.connection;
  const people = await Promise.all(Array.from({ length: 10 }, () => bring(directory)));
  const group = await newGroup(directory, "Boss");
  const change = (role: string) => {
    const body = { roles: { default: null, rules: [{ group: "Boss", role }] } };
    return call("PATCH", `/tenant/connections/${id}`, { token: directory.owner.token, body });
  };
  const changes = people.map((person, i) => [
    patchGroup(directory, group, [add(person.id)]),
    change(i % 2 === 0 ? "viewer" : "developer"),
  ]);
  await Promise.all([...changes.flat(), runJobs()]);
  await Promise.all(people.map((person) => patchGroup(directory, group, [add(person.id)])));
  expect((await change("admin")).status).toBe(200);
  await Promise.all([runJobs(), runJobs()]);
  await runJobs();
  expect(await Promise.all(people.map((person) => roleOf(directory, person.id)))).toEqual(people.map(() => "admin"));
  expect(await one("SELECT 1 AS left FROM directory_jobs WHERE connection_id = ?", id)).toBeNull();
  expect((await change("admin")).status).toBe(200);
  expect(await one("SELECT 1 AS started FROM directory_jobs WHERE connection_id = ?", id)).toBeNull();
});
