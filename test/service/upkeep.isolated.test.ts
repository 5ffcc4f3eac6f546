/** The upkeep objects: one for each delivery database, which the cron only starts. */
import {
  createExecutionContext,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import worker from "../../src";
import { newIdAt } from "../../src/base/db/ids";
import { createShards, findDatabases } from "../../src/base/db/shards";
import { createDeps } from "../../src/base/deps";
import { begin, type Jobs, runJobs } from "../../src/service/upkeep/run-jobs";
import { beginUpkeep, startSweepers } from "../../src/service/upkeep/start";
import { JOBS } from "../../src/upkeep";
import { askSchedule } from "../../src/webhooks/delivery/throttling/demand";
import { eventually } from "../support/client";
import { forgetSweeps } from "../support/databases";
import { captureLog } from "../support/log-lines";

const DAY_MS = 86_400_000;
const captured = captureLog();
const realDeps = () => createDeps(env, createExecutionContext());

const countOld = async (database: D1Database) =>
  database.prepare("SELECT count(*) AS n FROM events WHERE type = 'Old'").first<number>("n");

test("the cron starts the objects, and each removes the old rows of its database", async () => {
  const databases = [env.DB, env.SHARD_1];
  for (const database of databases) {
    await database
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
          VALUES (?, 't', 'Old', '1', 0, 1)`,
      )
      .bind(newIdAt(Date.now() - 40 * DAY_MS))
      .run();
  }
  await worker.scheduled(createScheduledController({ cron: "17 * * * *" }), env, createExecutionContext());
  for (const shard of [0, 1]) {
    const stub = env.SWEEPER.get(env.SWEEPER.idFromName(`upkeep:${shard}`));
    // The alarm may already have run by itself.
    await runDurableObjectAlarm(stub);
  }
  await eventually("no old row", async () => (await Promise.all(databases.map(countOld))).every((rows) => rows === 0));
});

test("the deep health check fails when no sweep has run for five minutes", async () => {
  await forgetSweeps();
  vi.useFakeTimers({ toFake: ["Date"] });
  const askedAt = Date.now();
  const healthAfter = async (seconds: number) => {
    vi.setSystemTime(askedAt + seconds * 1000);
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/health?deep=1", {
      headers: { "cf-connecting-ip": crypto.randomUUID() },
    });
    return (await worker.fetch(request, env, createExecutionContext())).status;
  };
  // No sweep was ever started: that counts from the first question.
  expect([await healthAfter(0), await healthAfter(299), await healthAfter(301)]).toEqual([200, 200, 503]);
  expect(captured.lines("health check failed")).toMatchObject([{ cause: "no sweep has run for five minutes" }]);
  await startSweepers(await realDeps());
  expect(await healthAfter(302)).toBe(200);
  vi.useRealTimers();
});

test("a sweep is started anew if its alarm is lost or far ahead, and what was asked before does not count", async () => {
  const sweeper = env.SWEEPER.get(env.SWEEPER.idFromName("0"));
  await runInDurableObject(sweeper, async (object, { storage }) => {
    await storage.put("asked", Date.now() - DAY_MS);
    await storage.setAlarm(Date.now() + DAY_MS);
    await object.start(0);
    expect(await storage.getAlarm()).toBeLessThanOrEqual(Date.now());
    await storage.deleteAlarm();
    expect(await object.overdueMs()).toBeLessThan(DAY_MS / 2);
  });
});

test("of a hundred databases each is started, and one that fails stops none", async () => {
  const started: string[] = [];
  const object = (name: string) => ({
    begin: async (shard: number, period: string) => {
      if (shard === 7) throw new Error("unreachable");
      started.push(`${name} ${period}`);
    },
  });
  const sweepers = { idFromName: (name: string) => name, get: object };
  const numbers = Array.from({ length: 100 }, (_, shard) => shard);
  const deps = await realDeps();
  await beginUpkeep({ ...deps, sweepers, shards: { ...deps.shards, numbers } } as unknown as typeof deps, "hour");
  const others = numbers.filter((shard) => shard !== 7);
  expect(started.sort()).toEqual(others.map((shard) => `upkeep:${shard} hour`).sort());
  expect(captured.lines("upkeep not started")).toMatchObject([{ level: "error", shard: 7 }]);
});

test("objects are made near their database, whose region D1 reports", async () => {
  const made: unknown[] = [];
  const sweepers = {
    idFromName: (name: string) => name,
    get: (name: string, options: unknown) => {
      made.push(name, options);
      return { start: async () => undefined, begin: async () => undefined };
    },
  };
  const reporting = {
    prepare: (text: string) => env.DB.prepare(text),
    batch: async (statements: D1PreparedStatement[]) =>
      (await env.DB.batch(statements)).map((result) => ({
        ...result,
        meta: { ...result.meta, served_by_region: "WEUR" },
      })),
  };
  const deps = await realDeps();
  const shards = createShards(findDatabases({ SHARD_9: reporting, SHARD_8: env.DB }), deps.trips);
  const near = { ...deps, sweepers, shards } as unknown as typeof deps;
  await startSweepers(near);
  await beginUpkeep(near, "minute");
  const throttles = sweepers as unknown as typeof deps.throttles;
  const asked = { demands: [], ended: [], called: [], holder: "", latestMs: 0 };
  await askSchedule({ throttles }, { shard: 9, subscriptionId: "limited" }, {}, asked);
  const options = Object.fromEntries(made.flatMap((one, index) => (index % 2 === 0 ? [[one, made[index + 1]]] : [])));
  const region = { locationHint: "weur" };
  expect(options).toEqual({ 8: {}, "upkeep:8": {}, 9: region, "upkeep:9": region, limited: region });
});

test("jobs take turns, each goes on where it was, and a run makes about 300 calls", async () => {
  const deps = await realDeps();
  const turns: string[] = [];
  const counting =
    (name: string, pages: number): Jobs[string]["run"] =>
    async ({ trips }, _shard, cursor, isOver) => {
      let done = Number(cursor);
      while (done < pages && !isOver()) {
        trips.trips += 1;
        done += 1;
      }
      turns.push(`${name} ${done}`);
      return done === pages ? null : String(done);
    };
  const jobs: Jobs = {
    long: { every: "hour", run: counting("long", 260) },
    short: { every: "hour", run: counting("short", 60) },
    often: { every: "minute", run: counting("often", 1) },
  };
  const first = await runJobs(deps, jobs, begin(jobs, [], "hour", 0), 0);
  expect(turns).toEqual(["long 50", "short 50", "long 100", "short 60", "long 150", "long 200", "long 240"]);
  expect(first).toEqual({ open: [{ name: "long", cursor: "240" }], mayContinue: true });
  turns.length = 0;
  const second = await runJobs(deps, jobs, begin(jobs, first.open, "minute", 0), 0);
  expect(turns).toEqual(["often 1", "long 260"]);
  expect(second).toEqual({ open: [], mayContinue: false });
});

test("a job that fails is logged and waits for the next minute, while the others go on", async () => {
  const deps = await realDeps();
  let runs = 0;
  const jobs: Jobs = {
    failing: {
      every: "hour",
      run: async (_deps, _shard, cursor) => {
        if (cursor === "") throw new Error("D1 is down");
        return null;
      },
    },
    other: { every: "hour", run: async () => (runs++ === 0 ? "more" : null) },
  };
  const run = await runJobs(deps, jobs, begin(jobs, [], "hour", 3), 3);
  expect(run).toEqual({ open: [{ name: "failing", cursor: "" }], mayContinue: false });
  expect(runs).toBe(2);
  expect(captured.lines("upkeep failed")).toMatchObject([{ level: "error", shard: 3, job: "failing" }]);
  expect(begin(jobs, run.open, "hour", 3).map(({ name }) => name)).toEqual(["failing", "other"]);
  expect(captured.lines("upkeep does not keep up")).toMatchObject([{ level: "warn", shard: 3, job: "failing" }]);
});

test("a job that reads whole tables begins once in so many hours, in each database in another one", () => {
  const run = async () => null;
  const jobs: Jobs = { often: { every: "hour", run }, seldom: { every: "hour", everyHours: 6, run } };
  const hoursOf = (shard: number) =>
    Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => begin(jobs, [], "hour", shard, hour).length === 2);
  expect([hoursOf(0), hoursOf(1)]).toEqual([
    [0, 6, 12, 18],
    [1, 7, 13, 19],
  ]);
  expect(begin(jobs, [{ name: "seldom", cursor: "x" }], "hour", 0, 3)).toEqual([
    { name: "seldom", cursor: "x" },
    { name: "often", cursor: "" },
  ]);
});

test("what can only be due once in a day is not looked for every hour", () => {
  const seldom = Object.entries(JOBS).flatMap(([name, { everyHours }]) => (everyHours ? [[name, everyHours]] : []));
  expect(Object.fromEntries(seldom)).toEqual({
    ...{ countUsage: 6, removeOldAttempts: 6, removeOldKeys: 6 },
    ...{ checkDomains: 24, renewConnections: 24, removeLeftAccounts: 24, removeLeftPeople: 24, tellOfDirectories: 24 },
    ...{ removeOldAudit: 24, removeOldHours: 24, removeOldNumbers: 24, removeOldRetries: 24 },
    removeUnlistedApps: 24,
  });
});
