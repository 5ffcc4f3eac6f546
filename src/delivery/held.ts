/** The work on held deliveries, every minute: releases them once their subscription is resumed, and drops those too many or too old. */
import type { Deps } from "../deps";
import { describeError, type LogFields, log } from "../log";
import { sendOperational } from "../subscriptions/operational";
import { DAY_MS } from "../time";
import { dropHeld, endDropping, findSteps, findSurplus, releaseStep, type Surplus } from "./held-store";
import { DROPPED } from "./reasons";

/** Bounds one run; the next one continues. */
const MAX_PAGES = 20;

/** Releases and drops held deliveries in each delivery database. A failure is logged and does not stop the rest. Never throws. */
export async function releaseHeld(deps: Deps): Promise<void> {
  for (const shard of deps.shards.numbers) await orLog({ shard }, () => releaseShard(deps, shard));
}

async function releaseShard(deps: Deps, shard: number): Promise<void> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  for (const step of await findSteps(db, nowMs)) {
    await orLog({ shard, webhookId: step.subscriptionId }, () => releaseStep(db, step, nowMs));
  }
  for (const surplus of await findSurplus(db, nowMs - deps.config.retentionDays * DAY_MS, nowMs)) {
    await orLog({ shard, webhookId: surplus.subscriptionId }, () => drop(deps, shard, surplus));
  }
}

async function orLog(names: LogFields, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log("error", "held deliveries not released", { ...names, ...describeError(error) });
  }
}

async function drop(deps: Deps, shard: number, surplus: Surplus): Promise<void> {
  const db = deps.shards.db(shard);
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { dropped, told } = await dropHeld(db, surplus, deps.now());
    sendOperational(deps, shard, told);
    count += dropped;
    if (dropped > 0) continue;
    if (surplus.error === DROPPED) await endDropping(db, surplus);
    break;
  }
  if (count > 0) log("warn", "held deliveries dropped", { shard, count, webhookId: surplus.subscriptionId });
}
