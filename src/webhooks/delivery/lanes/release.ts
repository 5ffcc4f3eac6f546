/**
 * Every minute: releases the held deliveries of subscriptions that were resumed, and drops those over the limit or past
 * the retention.
 */

import { describeError, log } from "../../../base/log/log";
import type { PagedMaintenance } from "../../../base/maintenance";
import { DAY_MS } from "../../../base/time";
import { sendOperational } from "../../plane/operational";
import { inTurns } from "../selection";
import { dropHeld, type ReleaseStep, readHeld, releaseStep, type Surplus } from "./release-store";

/**
 * Releases and drops held deliveries of a delivery database. A failure with one subscription is logged and does not
 * stop the rest; what is left then waits for the next minute.
 */
export const releaseHeld: PagedMaintenance = async (deps, shard, _cursor, isOver) => {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const { steps, surplus } = await readHeld(db, nowMs - deps.config.retentionDays * DAY_MS, nowMs);
  const [releases, drops] = [byTenant(steps), byTenant(surplus)];
  const tasks = inTurns<ReleaseStep | Surplus>([...releases, ...drops], (task) => "rate" in task);
  const counts = new Map<string, number>();
  let [isUnfinished, hasFailed] = [false, false];
  for (const task of tasks) {
    isUnfinished = isOver();
    if (isUnfinished) break;
    const webhookId = task.subscriptionId;
    try {
      if ("rate" in task) {
        await releaseStep(db, task, nowMs);
        continue;
      }
      const { dropped, isLast, told } = await dropHeld(db, task, deps.now());
      sendOperational(deps, shard, told);
      counts.set(webhookId, (counts.get(webhookId) ?? 0) + dropped);
      // Its next page comes after those of the others.
      if (!isLast) tasks.push(task);
    } catch (error) {
      hasFailed = true;
      log("error", "held deliveries not released", { shard, webhookId, ...describeError(error) });
    }
  }
  for (const [webhookId, count] of counts) {
    if (count > 0) log("warn", "held deliveries dropped", { shard, count, webhookId });
  }
  return isUnfinished && !hasFailed ? "" : null;
};

/** Orders what is to be done so that no tenant holds up the others. */
const byTenant = <T extends { tenantId: string }>(items: readonly T[]): T[] =>
  inTurns(items, ({ tenantId }) => tenantId);
