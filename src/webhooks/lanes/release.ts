/**
 * The work on held deliveries, every minute: releases them once their subscription is resumed, and drops those too many
 * or too old.
 */
import { callBudget } from "../../platform/db/call-budget";
import type { Deps } from "../../platform/deps";
import { describeError, type LogFields, log } from "../../platform/log";
import { DAY_MS } from "../../platform/time";
import { DROPPED } from "../delivery/reasons";
import { inTurns } from "../delivery/selection";
import { sendOperational } from "../subscriptions/operational";
import { dropHeld, endDropping, findSteps, findSurplus, releaseStep, type Step, type Surplus } from "./release-store";

/** The most calls to D1 in one run for a database; the next one continues. */
const MAX_CALLS = 250;

/**
 * Releases and drops held deliveries in each delivery database. A failure is logged and does not stop the rest. Never
 * throws.
 */
export async function releaseHeld(deps: Deps): Promise<void> {
  for (const shard of deps.shards.numbers) {
    await orLog({ shard }, () => releaseShard(deps, shard, callBudget(deps, MAX_CALLS)));
  }
}

async function releaseShard(deps: Deps, shard: number, isSpent: () => boolean): Promise<void> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const steps = await findSteps(db, nowMs);
  const surplus = await findSurplus(db, nowMs - deps.config.retentionDays * DAY_MS, nowMs);
  const counts = new Map<string, number>();
  let open = inTurns<Step | Surplus>([byTenantInTurns(steps), byTenantInTurns(surplus)]);
  while (open.length > 0 && !isSpent()) {
    const unfinished: typeof open = [];
    for (const task of open) {
      if (isSpent()) break;
      const webhookId = task.subscriptionId;
      await orLog({ shard, webhookId }, async () => {
        if ("rate" in task) return releaseStep(db, task, nowMs);
        const { dropped, isLast } = await dropPage(deps, shard, task);
        counts.set(webhookId, (counts.get(webhookId) ?? 0) + dropped);
        if (!isLast) unfinished.push(task);
      });
    }
    open = unfinished;
  }
  for (const [webhookId, count] of counts) {
    if (count > 0) log("warn", "held deliveries dropped", { shard, count, webhookId });
  }
}

/** Orders what is to be done so that no tenant holds up the others. */
const byTenantInTurns = <T extends { tenantId: string }>(items: readonly T[]): T[] =>
  inTurns([...Map.groupBy(items, ({ tenantId }) => tenantId).values()]);

async function orLog(names: LogFields, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log("error", "held deliveries not released", { ...names, ...describeError(error) });
  }
}

/** Drops one page. Returns how many deliveries it had, and whether it was the last one. */
async function dropPage(deps: Deps, shard: number, surplus: Surplus): Promise<{ dropped: number; isLast: boolean }> {
  const db = deps.shards.db(shard);
  const { dropped, isLast, told } = await dropHeld(db, surplus, deps.now());
  sendOperational(deps, shard, told);
  if (isLast && surplus.error === DROPPED) await endDropping(db, surplus);
  return { dropped, isLast };
}
