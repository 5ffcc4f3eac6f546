/** The scheduled door: every minute the sweep, every hour what has expired. */
import { sweepExpired } from "./auth/sweep";
import { removeOld } from "./delivery/retention";
import { sweep } from "./delivery/sweep";
import type { Deps } from "./deps";
import { sweepFanOuts } from "./events/fan-out";
import { describeError, log } from "./log";
import { rekey } from "./rekey/reseal";

const EVERY_MINUTE = "* * * * *";

/** Runs the jobs of a trigger of wrangler.toml. Never throws: each job is tried, each failure logged. */
export async function runCron(deps: Deps, cron: string): Promise<void> {
  const startedMs = deps.now();
  const jobs = cron === EVERY_MINUTE ? { sweep, sweepFanOuts } : { removeOld, sweepExpired, rekey };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      log("error", "cron job failed", { job, ...describeError(error) });
    }
  }
  log("info", "cron", { cron, ms: deps.now() - startedMs, d1Trips: deps.trips.trips });
}
