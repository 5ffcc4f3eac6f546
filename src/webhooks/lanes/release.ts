/**
 * Every minute: releases the held deliveries of subscriptions that were resumed, and drops those over the limit or past
 * the retention.
 */
import type { PagedMaintenance } from "../../platform/db/paged-maintenance";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { DAY_MS } from "../../platform/time";
import { DROPPED } from "../delivery/reasons";
import { inTurns } from "../delivery/selection";
import { sendOperational } from "../subscriptions/operational";
import {
  dropHeld,
  endDropping,
  findSteps,
  findSurplus,
  type ReleaseStep,
  releaseStep,
  type Surplus,
} from "./release-store";

/**
 * Releases and drops held deliveries of a delivery database. A failure with one subscription is logged and does not
 * stop the rest; what is left then waits for the next minute.
 */
export const releaseHeld: PagedMaintenance = async (deps, shard, _cursor, isOver) => {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const steps = await findSteps(db, nowMs);
  const surplus = await findSurplus(db, nowMs - deps.config.retentionDays * DAY_MS, nowMs);
  const counts = new Map<string, number>();
  let open = inTurns<ReleaseStep | Surplus>([byTenantInTurns(steps), byTenantInTurns(surplus)]);
  let hasFailed = false;
  while (open.length > 0 && !isOver()) {
    const left: typeof open = [];
    for (const [index, task] of open.entries()) {
      if (isOver()) {
        left.push(...open.slice(index));
        break;
      }
      const webhookId = task.subscriptionId;
      try {
        if ("rate" in task) await releaseStep(db, task, nowMs);
        else {
          const { dropped, isLast } = await dropPage(deps, shard, task);
          counts.set(webhookId, (counts.get(webhookId) ?? 0) + dropped);
          if (!isLast) left.push(task);
        }
      } catch (error) {
        hasFailed = true;
        log("error", "held deliveries not released", { shard, webhookId, ...describeError(error) });
      }
    }
    open = left;
  }
  for (const [webhookId, count] of counts) {
    if (count > 0) log("warn", "held deliveries dropped", { shard, count, webhookId });
  }
  return open.length === 0 || hasFailed ? null : "";
};

/** Orders what is to be done so that no tenant holds up the others. */
const byTenantInTurns = <T extends { tenantId: string }>(items: readonly T[]): T[] =>
  inTurns([...Map.groupBy(items, ({ tenantId }) => tenantId).values()]);

/** Drops one page. Returns how many deliveries it had, and whether it was the last one. */
async function dropPage(deps: Deps, shard: number, surplus: Surplus): Promise<{ dropped: number; isLast: boolean }> {
  const db = deps.shards.db(shard);
  const { dropped, isLast, told } = await dropHeld(db, surplus, deps.now());
  sendOperational(deps, shard, told);
  if (isLast && surplus.error === DROPPED) await endDropping(db, surplus);
  return { dropped, isLast };
}
