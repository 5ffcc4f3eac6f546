/** Runs before each test file, also when several files share a runtime. */
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { beginFile } from "./support/client";
import { migrate } from "./support/databases";
import { badPlans, collected, collectStatements, statementsAcrossPlanes } from "./support/query-plans";
import { chooseShard } from "./support/shard";

beginFile();
await migrate();
await chooseShard(expect.getState().testPath ?? "");

collectStatements(env.DB);
/** Whatever the stores have sent in this file finds its rows by an index. */
afterAll(async () => {
  expect(await badPlans(env.DB, collected())).toEqual([]);
  expect(statementsAcrossPlanes(collected())).toEqual([]);
});
