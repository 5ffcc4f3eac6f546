/** A directory whose rules have no default: whom no rule gives a role is no member. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { bring, type Directory, newDirectory, recordOf, scim } from "../support/scim";
import { add, dying, membersOf, newGroup, patchGroup as patch, remove, roleOf, runJobs } from "../support/scim-groups";
import { one } from "../support/signed-on";

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

// It costs half a second: 20 people come by requests of their own, and each changes the group in another one.
test("ends as the groups say after 20 parallel changes with kills", async () => {
  const ruled = await newDirectory({ roles: byGroup });
  const all = await Promise.all(Array.from({ length: 20 }, async () => (await bring(ruled)).id as string));
  const [leavers, comers] = [all.slice(0, 10), all.slice(10)];
  const id = await newGroup(ruled, "Staff", leavers);
  const changes = [...leavers.map(remove), ...comers.map((one) => add(one))];
  const sent = changes.map((change, i) =>
    patch(ruled, id, [change], { variables: i % 4 === 0 ? {} : { DB: dying(2, i % 2 === 1) } }),
  );
  const answers = await Promise.all([...sent, runJobs()]);
  const failed = changes.filter((_, i) => answers[i]?.status !== 204);
  expect(failed.length).toBeGreaterThan(5);
  await Promise.all([...failed.map((change) => patch(ruled, id, [change])), runJobs()]);
  await runJobs();
  expect(await Promise.all(leavers.map((one) => stateOf(ruled, one)))).toEqual(
    leavers.map(() => ["held", "no_role", undefined]),
  );
  expect(await Promise.all(comers.map((one) => stateOf(ruled, one)))).toEqual(
    comers.map(() => ["active", null, "viewer"]),
  );
});

test("comes with a group whose rule is before one about a claim", async () => {
  const rules = [...byGroup.rules, { claim: "department", equals: "it", role: "admin" } as const];
  const ruled = await newDirectory({ roles: { ...byGroup, rules } });
  const { id: person } = await bring(ruled);
  await newGroup(ruled, "Staff", [person]);
  await runJobs();
  expect(await stateOf(ruled, person)).toEqual(["active", null, "viewer"]);
});
