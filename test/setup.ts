import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { badPlans, collected, collectStatements, statementsAcrossPlanes } from "./support/query-plans";
import { closeOtherShard } from "./support/shard";

/** In one round trip; `migrations.test.ts` applies them one by one. */
const migrate = (database: D1Database) =>
  database.batch(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((query) => database.prepare(query)));

await Promise.all([migrate(env.DB), migrate(env.SHARD_1)]);
await closeOtherShard();

collectStatements(env.DB);
/** Whatever the stores have sent in this file finds its rows by an index. */
afterAll(async () => {
  expect(await badPlans(env.DB, collected())).toEqual([]);
  expect(statementsAcrossPlanes(collected())).toEqual([]);
});
