/** The scheduled door: every minute the sweep, every hour what has expired. */
import { sweepExpired } from "./auth/sweep";
import { sweep } from "./delivery/sweep";
import type { Deps } from "./deps";
import { describeError, log } from "./log";

/** Never throws: each job is tried, each failure logged. */
export async function runCron(deps: Deps): Promise<void> {
  const jobs = { sweep, sweepExpired };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      log("error", "cron job failed", { job, ...describeError(error) });
    }
  }
}
