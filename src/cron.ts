/** The cron triggers: every minute and every hour they begin the work that the objects of each database do. */

import type { Deps } from "./base/deps";
import { describeError, log } from "./base/log/log";
import { tellAlarms } from "./service/alarms/tell";
import { beginUpkeep, startSweepers } from "./service/upkeep/start";

const EVERY_MINUTE = "* * * * *";

/** Runs the jobs of one cron trigger of wrangler.toml. A job that fails is logged, and the others run. Never throws. */
export async function runCron(deps: Deps, cron: string): Promise<void> {
  const startedMs = deps.now();
  const jobs =
    cron === EVERY_MINUTE
      ? {
          startSweepers,
          beginUpkeep: () => beginUpkeep(deps, "minute"),
          tellAlarms,
          keepSigners: () => deps.signers.keep(),
        }
      : { beginUpkeep: () => beginUpkeep(deps, "hour") };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      log("error", "cron job failed", { job, ...describeError(error) });
    }
  }
  log("info", "cron", { cron, ms: deps.now() - startedMs, d1Trips: deps.trips.trips });
}
