/** The scheduled jobs: those that run every minute, and those that run every hour. */

import { deleteExpired } from "./identity/expire";
import { removeAbandoned } from "./lifecycle/deletion/abandoned";
import { continuePurges } from "./lifecycle/deletion/purge";
import { tellAlarms } from "./operations/alarms/tell";
import { countTotals } from "./operations/metrics/totals";
import { rekey, rekeyAfterChange } from "./operations/reencryption/reencrypt";
import { startSweepers } from "./operations/upkeep/sweeper";
import type { Deps } from "./platform/deps";
import { describeError, log } from "./platform/log";
import { removeOldAudit } from "./tenancy/audit/retention";
import { reviewFailing } from "./webhooks/auto-disable/review";
import { releaseHeld } from "./webhooks/delivery/held";
import { removeOld } from "./webhooks/delivery/retention";
import { noteShardSizes } from "./webhooks/delivery/shard-sizes";
import { endExpiredKeys } from "./webhooks/signing/expiry";
import { publishAudit } from "./webhooks/subscriptions/audit-feed";

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
          deleteExpired,
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
