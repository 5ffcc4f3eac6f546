/** Groups of a tenant's directory, and what the jobs do that give their roles. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createDeps } from "../../src/base/deps";
import { endDirectories } from "../../src/directory/ending/end";
import { continueRoles } from "../../src/directory/groups/jobs";
import { judgeHeldAgain } from "../../src/directory/users/judge-again";
import { type Directory, recordOf, scim } from "./scim";
import { memberOf } from "./signed-on";

const SCHEMAS = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
const PATCH = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

export const membersOf = (ids: readonly string[]) => ids.map((value) => ({ value }));

export async function newGroup(
  directory: Directory,
  displayName: string,
  ids: readonly string[] = [],
): Promise<string> {
  const body = { schemas: SCHEMAS, displayName, members: membersOf(ids) };
  const { status, body: group } = await scim(directory, "POST", "/Groups", { body });
  expect([status, group.displayName]).toEqual([201, displayName]);
  return group.id;
}

export const patchGroup = (directory: Directory, id: string, Operations: object[], more: object = {}) =>
  scim(directory, "PATCH", `/Groups/${id}`, { body: { schemas: PATCH, Operations }, ...more });

export const add = (...ids: string[]) => ({ op: "add", path: "members", value: membersOf(ids) });
export const remove = (id: string) => ({ op: "remove", path: `members[value eq "${id}"]` });

/** A database that fails the caller's nth batch, before it has an effect or after. */
export function dying(nth: number, hasEffect: boolean): D1Database {
  let made = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    made += 1;
    if (made !== nth) return env.DB.batch(statements);
    if (hasEffect) await env.DB.batch(statements);
    throw new Error("killed");
  };
  return { prepare: (text: string) => env.DB.prepare(text), batch } as unknown as D1Database;
}

export async function roleOf({ connection }: Directory, person: string): Promise<string | undefined> {
  const record = await recordOf(connection.id, person);
  return (await memberOf(connection.tenantId, record?.userId ?? ""))?.role;
}

/** What the minute cron does. */
export async function runJobs(): Promise<void> {
  const deps = await createDeps(env, createExecutionContext());
  for (const run of [continueRoles, judgeHeldAgain, endDirectories]) await run(deps, 0, "", () => false);
}
