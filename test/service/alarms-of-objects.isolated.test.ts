/** The alarms of the two Durable Objects of a database, which run the sweep and the upkeep. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { readOpenJobs, storeOpenJobs } from "../../src/service/upkeep/open-jobs";
import { begin } from "../../src/service/upkeep/run-jobs";
import { JOBS } from "../../src/upkeep";
import { MAX_SWEEP_INTERVAL_MS } from "../../src/webhooks/plane/timing";
import { faultyDatabase } from "../support/faults/bindings";
import { captureLog } from "../support/log-lines";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const captured = captureLog();

// Ahead of the platform's clock, so that alarms ring when the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS }));
afterEach(() => void vi.useRealTimers());

/** Makes a call to D1 for an object, named by the store function that makes it. */
type Hook = (name: string, call: () => Promise<unknown>, storage: DurableObjectStorage) => Promise<unknown>;

const storedIn = async (storage: DurableObjectStorage) => ({
  open: await readOpenJobs(storage),
  alarmMs: await storage.getAlarm(),
});

/** A new object, which makes its calls to D1 through `hook`. */
async function objectWith(hook: Hook) {
  const stub = env.SWEEPER.get(env.SWEEPER.newUniqueId());
  await runInDurableObject(stub, (object, { storage }) => {
    const call = <T>(of: string, make: () => Promise<T>) => hook(of, make, storage) as Promise<T>;
    const [DB, SHARD_1] = [env.DB, env.SHARD_1].map((database) => faultyDatabase(database, { call }));
    Object.defineProperty(object, "env", { value: { ...env, DB, SHARD_1 } });
  });
  return { stub, stored: () => runInDurableObject(stub, (_, { storage }) => storedIn(storage)) };
}

test("the upkeep goes on at once where a run has ended, until nothing is left", async () => {
  const ids = Array.from({ length: 300 }, (_, n) => newIdAt(Date.now() - 40 * DAY_MS + n)).sort();
  await env.SHARD_1.prepare(
    `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
     SELECT value, 't', 'Old', '1', 0, 1 FROM json_each(?)`,
  )
    .bind(JSON.stringify(ids))
    .run();
  const left = () => env.SHARD_1.prepare("SELECT count(*) AS n FROM events WHERE type = 'Old'").first<number>("n");
  let pages = 0;
  let noted: unknown;
  const { stub, stored } = await objectWith(async (name, call, storage) => {
    if (name !== "deleteOldEvents") return call();
    pages += 1;
    if (pages > 1) return call();
    noted = (await storedIn(storage)).open;
    return call().finally(() => vi.setSystemTime(Date.now() + 21_000));
  });
  await stub.begin(1, "hour");
  await runDurableObjectAlarm(stub);
  expect(noted).toEqual(begin(JOBS, [], "hour", 1, Math.floor(Date.now() / 3_600_000)));
  const { open, alarmMs } = await stored();
  expect([open.find(({ name }) => name === "removeOldEvents"), alarmMs]).toEqual([
    { name: "removeOldEvents", cursor: ids[199] },
    Date.now(),
  ]);
  expect([await left(), pages]).toEqual([100, 1]);
  await runDurableObjectAlarm(stub);
  expect(await stored()).toEqual({ open: [], alarmMs: null });
  expect(await left()).toBe(0);
});

/** The first call to D1 that each part of a sweep makes. */
const PARTS = {
  deliveries: "readOverdue",
  lanes: "findLaneEnds",
  fanOuts: "readUnfinishedFanOuts",
  replays: "readRunningJobs",
  platformEvents: "readSources",
};

test.each(Object.entries(PARTS))(
  "a sweep that fails with its %s does the rest, and comes again",
  async (job, failing) => {
    const calls: string[] = [];
    const { stub, stored } = await objectWith(async (name, call) => {
      calls.push(name);
      if (name === failing) throw new Error("D1 is down");
      return call();
    });
    await stub.start(0);
    await runDurableObjectAlarm(stub);
    expect(calls).toEqual(expect.arrayContaining(Object.values(PARTS)));
    expect(captured.lines("sweep failed").filter((line) => line.job === job)).toMatchObject([
      { level: "error", shard: 0, error: expect.anything() },
    ]);
    expect((await stored()).alarmMs).toBeLessThanOrEqual(Date.now() + MAX_SWEEP_INTERVAL_MS);
  },
);

test("each open job has its cursor under its own key, and what the version before has stored goes on", async () => {
  const stub = env.SWEEPER.get(env.SWEEPER.newUniqueId());
  await runInDurableObject(stub, async (_, { storage }) => {
    const [first, second] = [
      { name: "a", cursor: "1" },
      { name: "b", cursor: "" },
    ];
    await storage.put("open", [first, second]);
    expect(await readOpenJobs(storage)).toEqual([first, second]);
    expect([...(await storage.list())]).toEqual([
      ["cursor:a", "1"],
      ["jobs", ["a", "b"]],
    ]);
    const left = [
      { name: "b", cursor: "x".repeat(1_500_000) },
      { name: "a", cursor: "y".repeat(1_500_000) },
    ];
    await storeOpenJobs(storage, [first, second], left);
    expect(await readOpenJobs(storage)).toEqual(left);
    await storeOpenJobs(storage, left, [second]);
    expect(await readOpenJobs(storage)).toEqual([second]);
    expect([...(await storage.list()).keys()]).toEqual(["jobs"]);
  });
});
