/** Counts of all subscriptions of a delivery database, which the hourly cron adds up page by page. */
import { shardsWithBudgets } from "../../platform/db/call-budget";
import { Pages } from "../../platform/db/unhurried";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { HOUR_MS, MINUTE_MS } from "../../platform/time";
import { addUp } from "../../webhooks/stats/latency";
import { noteTotals, readSubscriptions, type SubscriptionCounts } from "./store";

const BUDGET_MS = MINUTE_MS;
/** The calls to D1 in one run, for all databases. */
const MAX_CALLS = 150;

/** Returns the start of the last full hour, in Unix ms. */
export const lastFullHour = (nowMs: number): number => nowMs - (nowMs % HOUR_MS) - HOUR_MS;

/**
 * Counts the subscriptions of every delivery database, and their attempts in the last full hour. A database that is
 * down is logged and skipped. Never throws.
 */
export async function countTotals(deps: Deps): Promise<void> {
  if (deps.config.metricsToken === undefined) return;
  for (const { shard, isSpent } of shardsWithBudgets(deps, MAX_CALLS)) {
    try {
      await countShard(deps, shard, isSpent);
    } catch (error) {
      log("error", "subscriptions not counted", { shard, ...describeError(error) });
    }
  }
}

async function countShard(deps: Deps, shard: number, isSpent: () => boolean): Promise<void> {
  const db = deps.shards.db(shard);
  const startedMs = deps.now();
  const hour = lastFullHour(startedMs);
  const pages = new Pages(deps);
  let totals: SubscriptionCounts | null = null;
  for (let after: string | null = ""; after !== null; ) {
    if (isSpent() || deps.now() - startedMs >= BUDGET_MS) throw new Error("the budget of the run is spent");
    const from: string = after;
    const { rows, last, ...counts } = await pages.next((limit) =>
      readSubscriptions(db, hour, { after: from, limit }, startedMs),
    );
    totals = totals === null ? counts : sumOf(totals, counts);
    after = rows === 0 ? null : last;
  }
  if (totals !== null) await noteTotals(deps.db, shard, { hour, ...totals });
}

const sumOf = (a: SubscriptionCounts, b: SubscriptionCounts): SubscriptionCounts => ({
  healthy: a.healthy + b.healthy,
  failing: a.failing + b.failing,
  slow: a.slow + b.slow,
  disabled: a.disabled + b.disabled,
  paused: a.paused + b.paused,
  succeeded: a.succeeded + b.succeeded,
  failed: a.failed + b.failed,
  histogram: [...addUp([a.histogram, b.histogram])],
});
