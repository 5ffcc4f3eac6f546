/** The minutely work on held deliveries. What a subscription holds is released after it was resumed, and dropped when it is too much or too old. */
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { DAY_MS } from "../time";
import { dropHeld, endDropping, findSurplus, releaseSteps, type Surplus } from "./held-store";
import { DROPPED } from "./reasons";

/** Bounds one run; the next one goes on. */
const MAX_PAGES = 20;

/** Releases and drops in each delivery database. One that fails is logged, and the others go on. Never throws. */
export async function releaseHeld(deps: Deps): Promise<void> {
  for (const shard of deps.shards.numbers) {
    try {
      const db = deps.shards.db(shard);
      const nowMs = deps.now();
      await releaseSteps(db, nowMs);
      const surplus = await findSurplus(db, nowMs - deps.config.retentionDays * DAY_MS);
      for (const part of surplus) await drop(deps, shard, part);
    } catch (error) {
      log("error", "held deliveries not released", { shard, ...describeError(error) });
    }
  }
}

async function drop(deps: Deps, shard: number, surplus: Surplus): Promise<void> {
  const db = deps.shards.db(shard);
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const dropped = await dropHeld(db, surplus, deps.now());
    count += dropped;
    if (dropped > 0) continue;
    if (surplus.error === DROPPED) await endDropping(db, surplus);
    break;
  }
  if (count > 0) log("warn", "held deliveries dropped", { shard, count, webhookId: surplus.subscriptionId });
}
