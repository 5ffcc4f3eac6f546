/** Runs before each test file, also when several files share a runtime. */
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { beginFile } from "./support/client";
import { migrate } from "./support/databases";
import { badPlans, collectStatements, newlyCollected, statementsAcrossPlanes } from "./support/query-plans";
import { chooseShard } from "./support/shard";

beginFile();
await migrate();
await chooseShard(expect.getState().testPath ?? "");

collectStatements(env.DB);
/** Whatever the stores have sent finds its rows by an index. */
afterAll(async () => {
  const statements = newlyCollected();
  expect(await badPlans(env.DB, statements)).toEqual([]);
  expect(statementsAcrossPlanes(statements)).toEqual([]);
});
