import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { badPlans, collected, collectStatements } from "./support/query-plans";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

collectStatements(env.DB);
/** Whatever the stores have sent in this file finds its rows by an index. */
afterAll(async () => {
  expect(await badPlans(env.DB, collected())).toEqual([]);
});
