/** Uses every statement about the groups of directories. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import { whenDue } from "../../src/directory/due/when-due";
import { endDirectories } from "../../src/directory/ending/end";
import { continueRoles } from "../../src/directory/groups/jobs";
import { judgeHeldAgain } from "../../src/directory/users/judge-again";
import { call } from "./client";
import { bring, newDirectory, scim } from "./scim";

/** Makes a group that a rule names, finds, changes and deletes it, and gives everybody their roles. */
export async function groupEverybody(): Promise<void> {
  const rules = [{ group: "Admins", role: "admin" } as const];
  const directory = await newDirectory({ roles: { default: null, rules, when: "every" } });
  const [{ id: person }, { id: other }] = [await bring(directory), await bring(directory)];
  const body = { displayName: "Admins", externalId: "e", members: [{ value: person }] };
  const { id } = (await scim(directory, "POST", "/Groups", { body })).body;
  const filters = ['displayName eq "a"', 'displayName co "a"', 'externalId eq "e"', `id eq "${id}"`];
  const queries = ["", "?cursor=", ...filters.map((filter) => `?filter=${filter}`), '?filter=members eq "a"'];
  for (const query of queries) await scim(directory, "GET", `/Groups${query}`);
  const patch = (...Operations: object[]) => scim(directory, "PATCH", `/Groups/${id}`, { body: { Operations } });
  await patch(
    { op: "add", path: "members", value: [{ value: other }] },
    { op: "remove", path: `members[value eq "${person}"]` },
  );
  await patch({ op: "add", path: "members", value: [{ value: crypto.randomUUID() }] });
  await patch({ op: "replace", path: "displayName", value: "Bosses" });
  const deps = await createDeps(env, createExecutionContext());
  for (const run of [whenDue("jobs", continueRoles), judgeHeldAgain]) await run(deps, 0, "", () => false);
  const { owner, connection } = directory;
  await call("POST", `/tenant/connections/${connection.id}/roles/preview`, { token: owner.token, body: { rules } });
  await scim(directory, "PUT", `/Groups/${id}`, { body });
  await scim(directory, "DELETE", `/Groups/${id}`);
  await call("DELETE", `/tenant/connections/${connection.id}`, { token: owner.token, body: { members: "keep" } });
  await whenDue("jobs", endDirectories)(deps, 0, "", () => false);
}
