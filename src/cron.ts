/** What runs by the clock: every minute the sweepers are kept going, every hour what has expired is removed. */
import { sweepExpired } from "./auth/sweep";
import { removeOld } from "./delivery/retention";
import { noteShardSizes } from "./delivery/shard-sizes";
import type { Deps } from "./deps";
import { describeError, log } from "./log";
import { rekey } from "./rekey/rekey";
import { startSweepers } from "./sweeper";

const EVERY_MINUTE = "* * * * *";

/** Runs the jobs of a trigger of wrangler.toml. Never throws: each job is tried, each failure logged. */
export async function runCron(deps: Deps, cron: string): Promise<void> {
  const startedMs = deps.now();
  const jobs = cron === EVERY_MINUTE ? { startSweepers } : { noteShardSizes, removeOld, sweepExpired, rekey };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      log("error", "cron job failed", { job, ...describeError(error) });
    }
  }
  log("info", "cron", { cron, ms: deps.now() - startedMs, d1Trips: deps.trips.trips });
}
