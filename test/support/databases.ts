/** What the service keeps, and how a test file gets it empty. */
import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { forgetCounts } from "../../src/base/counts";
import { forgetSettings } from "../../src/base/deps";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { eventually } from "./client";
import { forgetStatements } from "./query-plans";

/** How often `reset` is tried: it can miss a database that a delivery of the previous test file is still writing to. */
const RESETS = 5;

/** Long enough for a few hundred batches on a busy machine. */
const EMPTY_WITHIN_MS = 60_000;

/** The suffix of the test file that ran last in this runtime: "isolated", "jobs", or "" for the others. */
let lastMode: string | undefined;

/**
 * Prepares the databases for the next test file. Files of one mode share what is in them, but for isolated ones, each
 * of which begins and ends with a service of its own.
 */
export async function prepareDatabases(testPath: string): Promise<void> {
  const mode = testPath.match(/\.(isolated|jobs)\.test\.ts$/)?.[1] ?? "";
  if (mode === lastMode && mode !== "isolated") return;
  const isFirst = lastMode === undefined;
  lastMode = mode;
  if (!isFirst) await emptyService();
  for (const database of [env.DB, env.SHARD_1]) await migrate(database);
}

/**
 * Waits until the queues are empty. `reset` leaves their messages. Those that a test file leaves, thousands after a
 * wide fan-out, would hold up the deliveries of the following files.
 */
export async function emptyQueues(): Promise<void> {
  const queues = [env.DELIVERY_QUEUE, env.SLOW_DELIVERY_QUEUE, env.MAIL_QUEUE];
  const isEmpty = async (queue: Queue) => (await queue.metrics()).backlogCount === 0;
  const areEmpty = async () => (await Promise.all(queues.map(isEmpty))).every(Boolean);
  await eventually("empty queues at the end of a test file", areEmpty, EMPTY_WITHIN_MS);
}

/** Ends all deliveries and jobs, and deletes all databases and Durable Objects. */
async function emptyService(): Promise<void> {
  forgetStatements();
  for (let left = RESETS; left > 0; left -= 1) {
    await reset();
    const tables = await Promise.all([env.DB, env.SHARD_1].map(countTables));
    if (tables.every((count) => count === 0)) {
      memory.clear();
      forgetSettings();
      await forgetCounts();
      return forgetSweeps();
    }
  }
  throw new Error("the databases of the previous test file are still there");
}

/**
 * Makes the objects of the sweeps, of the upkeep and of the counts as they are before their first start. `reset` of the
 * runtime may miss one that is at work.
 */
export async function forgetSweeps(): Promise<void> {
  for (const name of ["0", "1", "upkeep:0", "upkeep:1", "counts"]) {
    const object = () => env.SWEEPER.get(env.SWEEPER.idFromName(name));
    await runInDurableObject(object(), (_, state) => state.abort("forgotten")).catch(() => undefined);
    await runInDurableObject(object(), async (_, { storage }) => {
      await storage.deleteAlarm();
      await storage.deleteAll();
    });
  }
}

const countTables = (database: D1Database) =>
  database.prepare("SELECT count(*) AS count FROM sqlite_master WHERE name = 'tenants'").first<number>("count");

/** What the migrations make, as one text, once they have been applied in this runtime. They write no rows. */
let schema: string | undefined;

/**
 * Makes the tables in one round trip: the first time by the migrations, and then by what they have made, which takes a
 * tenth of their time. `migrations.test.ts` applies them one by one.
 */
export async function migrate(database: D1Database): Promise<void> {
  if (schema) {
    await database.prepare(schema).run();
    return;
  }
  await database.batch(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((query) => database.prepare(query)));
  const { results } = await database
    .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB '_cf_*' ORDER BY rowid")
    .all<{ sql: string }>();
  schema = results.map(({ sql }) => `${sql};`).join("\n");
}
