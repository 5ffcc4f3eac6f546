import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { badPlans, collected, collectStatements, statementsAcrossPlanes } from "./support/query-plans";
import { closeOtherShard } from "./support/shard";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.SHARD_1, env.TEST_MIGRATIONS);
await closeOtherShard();

collectStatements(env.DB);
/** Whatever the stores have sent in this file finds its rows by an index. */
afterAll(async () => {
  expect(await badPlans(env.DB, collected())).toEqual([]);
  expect(statementsAcrossPlanes(collected())).toEqual([]);
});
