/**
 * Deliveries that a run could not start return to their queue, move to the slow queue, or join the backlog of their
 * subscription.
 */
import type { Deps } from "../../platform/deps";
import type { OutboxKey, ShardKey } from "../../platform/messages";
import { isCoolingHere } from "../lanes/cooldown";
import { markSlow, moveToLanes } from "../lanes/lane-store";
import { widthOf } from "../lanes/width";
import type { ClaimedDelivery } from "./claim-store";
import { enqueue, type QueueSpeed } from "./enqueue";
import { memory } from "./isolate-memory";
import { releaseDeliveries } from "./release-store";
import { hangs, sendsOf } from "./send-load";
import { MARK_SLOW_AGAIN_MS, RETURN_TO_SLOW_SECONDS } from "./timing";

/**
 * Releases claimed deliveries that were not sent, and queues them and the unclaimed `waiting` again. Each database is
 * handled on its own. Throws when D1 or a queue is down.
 */
export async function handBack(
  deps: Deps,
  speed: QueueSpeed,
  claim: string,
  waiting: readonly ShardKey[],
  claimed: readonly (ClaimedDelivery & { shard: number })[],
): Promise<void> {
  const claimedOf = Map.groupBy(claimed, ({ shard }) => shard);
  const waitingOf = Map.groupBy(waiting, ({ shard }) => shard);
  const shards = new Set([...claimedOf.keys(), ...waitingOf.keys()]);
  const work = [...shards].map(async (shard) => {
    const released = claimedOf.get(shard) ?? [];
    // First, because it needs no answer from the database.
    await queueAgain(deps, speed, shard, waitingOf.get(shard) ?? []);
    if (released.length === 0) return;
    await releaseDeliveries(deps.shards.db(shard), claim, released);
    await queueAgain(deps, speed, shard, released);
  });
  const failures = (await Promise.allSettled(work)).flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  if (failures.length > 0) throw failures[0];
}

async function queueAgain(deps: Deps, speed: QueueSpeed, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  const nowMs = deps.now();
  const isSaturated = ({ subscriptionId }: OutboxKey) =>
    sendsOf(subscriptionId) >= widthOf(subscriptionId) && hangs(subscriptionId, nowMs);
  const {
    backlog = [],
    slow = [],
    fast = [],
  } = Object.groupBy(keys, (key) => {
    if (isSaturated(key) || isCoolingHere(key.subscriptionId, nowMs)) return "backlog";
    return speed === "slow" || hangs(key.subscriptionId, nowMs) ? "slow" : "fast";
  });
  await moveToBacklogs(deps, shard, backlog);
  await enqueue(deps, "slow", shard, slow, speed === "slow" ? RETURN_TO_SLOW_SECONDS : 0);
  await enqueue(deps, "fast", shard, fast);
}

/** Moves deliveries to the backlogs of their subscriptions. Throws when D1 is down. */
export async function moveToBacklogs(deps: Deps, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  const elsewhere = keys.filter(({ queue }) => queue === "");
  if (elsewhere.length > 0) await moveToLanes(deps.shards.db(shard), elsewhere);
}

/** Marks a subscription as slow in the background, at most every 30 seconds per isolate. */
export function markSlowInBackground(deps: Deps, shard: number, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (memory.markedSlowUntilMs.get(subscriptionId) ?? 0)) return;
  memory.markedSlowUntilMs.set(subscriptionId, nowMs + MARK_SLOW_AGAIN_MS);
  deps.background("mark slow", markSlow(deps.shards.db(shard), subscriptionId, nowMs));
}
