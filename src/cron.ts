/** The entry point of the cron triggers: the sweep every minute, retention and clean-up every hour. */
import { sweepExpired } from "./auth/sweep";
import { removeOld } from "./delivery/retention";
import { sweep } from "./delivery/sweep";
import type { Deps } from "./deps";
import { sweepFanOuts } from "./events/fan-out";
import { describeError, log } from "./log";
import { rekey } from "./rekey/rekey";

const EVERY_MINUTE = "* * * * *";

/** Runs the jobs of one trigger in wrangler.toml. Never throws: a job that fails is logged, and the others still run. */
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
