/** The scheduled jobs: those that run every minute, and those that run every hour. */
import { tellAlarms } from "./alarms/tell";
import { removeOldAudit } from "./audit/retention";
import { sweepExpired } from "./auth/sweep";
import { removeAbandoned } from "./deletion/abandoned";
import { continuePurges } from "./deletion/purge";
import { releaseHeld } from "./delivery/held";
import { removeOld } from "./delivery/retention";
import { noteShardSizes } from "./delivery/shard-sizes";
import type { Deps } from "./deps";
import { reviewFailing } from "./episodes/review";
import { describeError, log } from "./log";
import { countTotals } from "./metrics/totals";
import { rekey, rekeyAfterChange } from "./rekey/rekey";
import { endExpiredKeys } from "./signing-keys/expiry";
import { publishAudit } from "./subscriptions/audit-feed";
import { startSweepers } from "./sweeper";

const EVERY_MINUTE = "* * * * *";

/** Runs the jobs of one cron trigger of wrangler.toml. A job that fails is logged, and the others run. Never throws. */
export async function runCron(deps: Deps, cron: string): Promise<void> {
  const startedMs = deps.now();
  const jobs =
    cron === EVERY_MINUTE
      ? { startSweepers, tellAlarms, reviewFailing, releaseHeld, publishAudit, continuePurges, rekeyAfterChange }
      : {
          noteShardSizes,
          endExpiredKeys,
          sweepExpired,
          removeAbandoned,
          countTotals,
          removeOldAudit,
          removeOld,
          rekey,
        };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      log("error", "cron job failed", { job, ...describeError(error) });
    }
  }
  log("info", "cron", { cron, ms: deps.now() - startedMs, d1Trips: deps.trips.trips });
}
