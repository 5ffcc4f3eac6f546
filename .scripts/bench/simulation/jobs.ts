/** What each job, each sweep and some purges read and write in one full database, as D1 counts it. */
import { createDb } from "../../../src/base/db/client";
import { createShards } from "../../../src/base/db/shards";
import { createDeps, type Deps } from "../../../src/base/deps";
import { DAY_MS, MINUTE_MS } from "../../../src/base/time";
import { continuePurges } from "../../../src/lifecycle/deletion/purge";
import { JOBS } from "../../../src/upkeep";
import { sweepShard } from "../../../src/webhooks/delivery/sweep";
import { createMeter, type Meter, metered } from "./meter";
import type { Cost, WorkCost } from "./report";

const SHARD = 0;
/** A run of a job that has not ended by then never ends. */
const MAX_PAGES = 1_000_000;

/** Runs every job twice, because the first run may remove what has gathered, and the sweep. */
export async function measureJobs(env: Env, ctx: ExecutionContext): Promise<WorkCost[]> {
  const { deps, meter } = await meteredDeps(env, ctx);
  const measured: WorkCost[] = [];
  for (const [name, { every, everyHours = 1, run }] of Object.entries(JOBS)) {
    const runsAnHour = every === "minute" ? 60 : 1 / everyHours;
    for (const which of ["first", "next"] as const) {
      const page = (cursor: string) => run(deps, SHARD, cursor, () => false);
      measured.push({ name: `${name}, ${which} run`, runsAnHour, ...(await whole(meter, name, page)) });
    }
  }
  const sweep = await whole(meter, "sweep", async () => {
    await sweepShard(deps, SHARD, new Map());
    return null;
  });
  // Every 15 s while nothing is due, every 5 s otherwise.
  return [...measured, { name: "sweep", runsAnHour: 720, ...sweep }];
}

/** Runs the purges that are open until they end. */
export async function measurePurges(env: Env, ctx: ExecutionContext, name: string): Promise<WorkCost> {
  const { deps, meter } = await meteredDeps(env, ctx);
  let days = 1;
  const isOpen = async () => (await env.DB.prepare("SELECT count(*) AS n FROM purges").first<number>("n")) !== 0;
  const cost = await whole(meter, name, async () => {
    const later = { ...deps, now: () => Date.now() + days * DAY_MS };
    await continuePurges(later, SHARD, "", () => false);
    days += 1;
    return (await isOpen()) ? "" : null;
  });
  return { name, runsAnHour: 0, ...cost };
}

async function meteredDeps(env: Env, ctx: ExecutionContext): Promise<{ deps: Deps; meter: Meter }> {
  const meter = createMeter();
  const real = await createDeps(env, ctx);
  const database = metered(env.DB, meter);
  const shards = createShards(new Map([[SHARD, database]]), real.trips);
  return { meter, deps: { ...real, db: createDb(database, real.trips), shards, wait: async () => {} } };
}

async function whole(
  meter: Meter,
  phase: string,
  page: (cursor: string) => Promise<string | null | void>,
): Promise<Cost & { ms: number }> {
  meter.phase = phase;
  meter.costs[phase] = { calls: 0, rowsRead: 0, rowsWritten: 0 };
  const startMs = Date.now();
  let cursor = await page("");
  for (let pages = 0; typeof cursor === "string"; pages += 1) {
    if (pages > MAX_PAGES || Date.now() - startMs > 10 * MINUTE_MS) throw new Error(`${phase} does not end`);
    cursor = await page(cursor);
  }
  return { ...meter.costs[phase], ms: Date.now() - startMs };
}
