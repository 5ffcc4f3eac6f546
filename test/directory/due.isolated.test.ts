/** What directories cost every minute: one question while they have no work, and each work apart once they have. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { runJobs } from "../../src/service/upkeep/run-jobs";
import { JOBS } from "../../src/upkeep";
import { call } from "../support/client";
import { countedEnv, rowsRead } from "../support/cost";
import { bring, newDirectory, recordOf } from "../support/scim";

const NAMES = ["continueRoles", "judgeHeldAgain", "endDirectories"];

/** Runs these jobs of the minute. Returns what it cost, and what is left. */
async function minute(broken = "") {
  const { counted, cost } = countedEnv();
  const deps = await createDeps(counted as Env, createExecutionContext());
  const fails = { every: "minute", run: () => Promise.reject(new Error("broken")) } as const;
  const jobs = Object.fromEntries(Object.entries(JOBS).map(([name, job]) => [name, name === broken ? fails : job]));
  cost.trips = 0;
  rowsRead.count = 0;
  const open = NAMES.map((name) => ({ name, cursor: "" }));
  const left = (await runJobs(deps, jobs, open, 0)).open.map(({ name }) => name);
  return { trips: cost.trips, read: rowsRead.count, written: cost.rowsWritten, left };
}

test("one trip that finds no row, while no directory has work", async () => {
  const directory = await newDirectory();
  await bring(directory);
  // D1 bills a row for each of two indexes in which nothing is found.
  expect(await minute()).toEqual({ trips: 1, read: 2, written: 0, left: [] });
});

test("a roles job, somebody held and a deleted connection are each found, also beside one that fails", async () => {
  const [ruled, deleted] = [await newDirectory(), await newDirectory()];
  const held = await bring(ruled);
  await bring(deleted);
  const at = `/tenant/connections/${ruled.connection.id}`;
  const rules = [{ group: "Admins", role: "admin" }];
  await call("PATCH", at, { token: ruled.owner.token, body: { roles: { rules } } });
  await env.DB.prepare("UPDATE directory_users SET state = 'held', reason = NULL WHERE connection_id = ? AND id = ?")
    .bind(ruled.connection.id, held.id)
    .run();
  await call("DELETE", `/tenant/connections/${deleted.connection.id}`, {
    token: deleted.owner.token,
    body: { members: "keep" },
  });
  const jobsOf = async (id: string) =>
    env.DB.prepare("SELECT count(*) AS n FROM directory_jobs WHERE connection_id = ?").bind(id).first("n");
  expect([await jobsOf(ruled.connection.id), await jobsOf(deleted.connection.id)]).toEqual([1, 1]);
  expect((await minute("continueRoles")).left).toEqual(["continueRoles"]);
  expect([await jobsOf(ruled.connection.id), await jobsOf(deleted.connection.id)]).toEqual([1, 0]);
  expect(await recordOf(ruled.connection.id, held.id)).toMatchObject({ state: "active" });
  expect((await minute()).left).toEqual([]);
  expect(await jobsOf(ruled.connection.id)).toBe(0);
});
