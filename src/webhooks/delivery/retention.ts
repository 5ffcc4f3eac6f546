/** Deletes old rows, oldest first, from each table in turn, until none is left or the budget of the run is spent. */
import { shardsWithBudgets } from "../../platform/db/call-budget";
import { repeatable } from "../../platform/db/faults";
import { Pages } from "../../platform/db/unhurried";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time";
import {
  deleteEmptySubscriptions,
  deleteOldAttempts,
  deleteOldEvents,
  deleteOldHours,
  deleteOldKeys,
} from "./retention-store";

/**
 * Events are kept this much longer than attempts, because the log shows their payloads and attempts can start later
 * than the event.
 */
const EVENT_MARGIN_MS = HOUR_MS;
/** The time for one shard in an hourly run. */
const BUDGET_MS = 5 * MINUTE_MS;
/** The calls to D1 in an hourly run, for all shards. */
const MAX_CALLS = 400;

/**
 * Deletes what is older than RETENTION_DAYS from every shard. A shard that fails is logged and skipped. Never throws.
 */
export async function removeOld(deps: Deps): Promise<void> {
  for (const { shard, isSpent } of shardsWithBudgets(deps, MAX_CALLS)) {
    try {
      await removeOldOfShard(deps, shard, isSpent);
    } catch (error) {
      log("error", "retention failed", { shard, ...describeError(error) });
    }
  }
}

async function removeOldOfShard(deps: Deps, shard: number, isSpent: () => boolean): Promise<void> {
  const db = deps.shards.db(shard);
  const startedMs = deps.now();
  const cutoffMs = startedMs - deps.config.retentionDays * DAY_MS;
  const eventCutoffMs = cutoffMs - EVENT_MARGIN_MS;
  const removed = { attempts: 0, events: 0 };
  const [attempts, events, hours, keys] = [new Pages(deps), new Pages(deps), new Pages(deps), new Pages(deps)];
  let attemptsFrom: string | null = "";
  let hoursFrom: string | null = "";
  let hasEvents = true;
  let hasKeys = true;
  while (attemptsFrom !== null || hoursFrom !== null || hasEvents || hasKeys) {
    if (isSpent() || deps.now() - startedMs >= BUDGET_MS) {
      log("warn", "retention did not finish", { shard, ...removed });
      return;
    }
    if (attemptsFrom !== null) {
      const after: string = attemptsFrom;
      const page = await attempts.next((rows) => deleteOldAttempts(db, cutoffMs, after, rows));
      removed.attempts += page.removed;
      attemptsFrom = page.next;
    }
    if (hasEvents) {
      const count = await events.next((rows) => deleteOldEvents(db, eventCutoffMs, rows));
      removed.events += count;
      hasEvents = count > 0;
    }
    if (hoursFrom !== null) {
      const after: string = hoursFrom;
      hoursFrom = (await hours.next((rows) => deleteOldHours(db, eventCutoffMs, after, rows))).next;
    }
    if (hasKeys) hasKeys = (await keys.next((rows) => deleteOldKeys(db, startedMs - DAY_MS, eventCutoffMs, rows))) > 0;
  }
  await repeatable(() => deleteEmptySubscriptions(db, cutoffMs));
  if (removed.attempts + removed.events > 0) log("info", "old rows removed", { shard, ...removed });
}
