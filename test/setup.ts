/** Runs before each test file, also when several files share a runtime. */
import { env } from "cloudflare:workers";
import { afterAll, expect, vi } from "vitest";
import { beginFile } from "./support/client";
import { emptyQueues, prepareDatabases } from "./support/databases";
import { keepWorker } from "./support/loaded-worker";
import { keepPlatformLimits, passedLimits } from "./support/platform-limits";
import { badPlans, collectStatements, newlyCollected, statementsAcrossPlanes } from "./support/query-plans";
import { chooseShard } from "./support/shard";
import { withholdLog } from "./support/withheld-log";

const testPath = expect.getState().testPath ?? "";

vi.useRealTimers();
vi.unstubAllGlobals();
vi.restoreAllMocks();
keepWorker();
withholdLog();
beginFile();
await prepareDatabases(testPath);
await chooseShard(testPath);

afterAll(emptyQueues, 90_000);

keepPlatformLimits(env.DB);
afterAll(() => expect(passedLimits()).toEqual([]));

collectStatements(env.DB);
/** Whatever the stores have sent finds its rows by an index. */
afterAll(async () => {
  const statements = newlyCollected();
  expect(await badPlans(env.DB, statements)).toEqual([]);
  expect(statementsAcrossPlanes(statements)).toEqual([]);
});
