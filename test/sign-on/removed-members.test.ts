/** Connections that are deleted with the members whom they have made: who is out when, and what it costs. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { endDirectories } from "../../src/directory/ending/end";
import { call, type Person } from "../support/client";
import { countedEnv, readSigners, rowsRead } from "../support/cost";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import { seededMember, seedMembers } from "../support/seeded-members";
import { type Connection, newTenant, one } from "../support/signed-on";

/** More than two pages of the job make no difference; 10,000 show that no value and no statement is too large. */
const MEMBERS = 10_000;
const PAGE = 500;
let owner: Person;
let member: Person;
let connection: Connection;
let key: string;
let deletion: { trips: number; rowsWritten: number };

const count = async (table: string, condition: string, ...values: unknown[]): Promise<number> =>
  (await one<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`, ...values))?.n ?? 0;
const recorded = () => count("audit_events", "tenant_id = ? AND action = 'member.removed'", connection.tenantId);

/** Seeding takes a second of CPU. */
beforeAll(async () => {
  // Jobs that other files have left would be done first.
  await env.DB.prepare("DELETE FROM directory_jobs WHERE kind <> 'roles'").run();
  ({ owner, connection } = await newTenant());
  await seedMembers(connection, MEMBERS);
  member = await joinTenant(owner, "developer");
  const made = await call("POST", "/api-keys", { token: member.token, body: { name: "k", scopes: ["webhook.read"] } });
  key = made.body.data.key;
  await env.DB.prepare("UPDATE memberships SET connection_id = ? WHERE tenant_id = ? AND user_id = ?")
    .bind(connection.id, connection.tenantId, member.userId)
    .run();
  const { counted, cost } = countedEnv();
  await readSigners();
  rowsRead.count = 0;
  const path = `/api/v1/tenant/connections/${connection.id}`;
  const asked = { method: "DELETE", path, token: owner.token, body: { members: "remove" } };
  const { status } = await callUnder({ DB: counted.DB, SHARD_1: counted.SHARD_1 }, asked);
  expect(status).toBe(200);
  deletion = cost;
}, 60_000);

test("everybody whom it has made is out at once, with sessions and keys of their own", async () => {
  const { tenantId } = connection;
  expect(await count("memberships", "tenant_id = ?", tenantId)).toBe(1);
  expect((await one<{ n: number }>("SELECT member_count AS n FROM tenants WHERE id = ?", tenantId))?.n).toBe(1);
  expect((await call("GET", "/webhooks", { token: member.token })).status).toBe(401);
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  expect((await call("POST", "/auth/refresh", { body: { refreshToken: member.refreshToken } })).status).toBe(401);
  expect((await call("GET", "/webhooks", { token: owner.token })).status).toBe(200);
  // One revocation stands for all of them.
  const revoked = await env.DB.prepare("SELECT key FROM revocations WHERE key LIKE '%' || ? || '%'")
    .bind(tenantId)
    .all();
  expect(revoked.results.filter(({ key: one }) => String(one).startsWith("m:"))).toEqual([]);
  expect(revoked.results).toContainEqual({ key: `t:${tenantId}` });
});

test("the deletion writes a row for each membership, and no more of what is left than a page", async () => {
  expect(deletion.trips).toBeLessThanOrEqual(4);
  expect(deletion.rowsWritten).toBeLessThan(8 * MEMBERS);
  expect(await recorded()).toBe(PAGE);
  const jobs = await count("directory_jobs", "connection_id = ? AND kind LIKE 'removed/%'", connection.id);
  expect(jobs).toBe(Math.ceil((MEMBERS + 1) / PAGE) - 1);
  expect(await count("directory_users", "connection_id = ?", connection.id)).toBe(MEMBERS);
});

/** Runs the job until `calls` calls to D1 have been made: what a killed run leaves is what it had committed by then. */
async function run(calls: number) {
  const { counted, cost } = countedEnv();
  const deps = await createDeps(counted as Env, createExecutionContext());
  rowsRead.count = 0;
  const cursor = await endDirectories(deps, 0, "", () => cost.trips >= calls);
  return { cursor, written: cost.rowsWritten, read: rowsRead.count, trips: cost.trips };
}

test("the rest goes in bites, also when runs are killed between them, or work beside each other", async () => {
  const left = async () => (await recorded()) - (await count("directory_users", "connection_id = ?", connection.id));
  const before = await left();
  expect((await run(2)).cursor).toBe("");
  const bitten = await left();
  expect(bitten - before).toBe(PAGE);
  // A run that dies in the middle of a batch commits nothing of it.
  const dies = new Proxy(env.DB, {
    get: (database, name) =>
      name === "batch"
        ? () => Promise.reject(new Error("killed"))
        : (Reflect.get(database, name).bind?.(database) ?? Reflect.get(database, name)),
  });
  const deps = await createDeps({ ...env, DB: dies } as Env, createExecutionContext());
  await expect(endDirectories(deps, 0, "", () => false)).rejects.toThrow();
  expect(await left()).toBe(bitten);
  await Promise.all([run(8), run(8), run(8)]);
  for (let isLeft = true; isLeft; ) {
    const bite = await run(2);
    isLeft = bite.cursor !== null;
    expect(bite.written).toBeLessThanOrEqual(20 * PAGE);
    expect(bite.read).toBeLessThanOrEqual(60 * PAGE);
  }
  const { tenantId } = connection;
  const people = await one<{ n: number }>(
    "SELECT count(DISTINCT target_id) AS n FROM audit_events WHERE tenant_id = ? AND action = 'member.removed'",
    tenantId,
  );
  expect([people?.n, await recorded()]).toEqual([MEMBERS + 1, MEMBERS + 1]);
  for (const table of ["directory_jobs", "directory_users", "connection_identities"]) {
    expect([table, await count(table, "connection_id = ?", connection.id)]).toEqual([table, 0]);
  }
  const last = await one<{ actor: string }>(
    "SELECT actor_id AS actor FROM audit_events WHERE tenant_id = ? AND target_id = ?",
    ...[tenantId, seededMember(connection, MEMBERS)],
  );
  expect([last?.actor, (await run(1)).trips]).toEqual([owner.userId, 1]);
});
