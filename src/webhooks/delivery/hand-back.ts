/**
 * Deliveries that a run could not start return to their queue, move to the slow queue, or join the backlog of their
 * subscription.
 */
import type { Deps } from "../../platform/deps";
import type { OutboxKey, ShardKey } from "../../platform/messages";
import { moveToLane } from "../lanes/lane-store";
import { widthOf } from "../lanes/width";
import { type ClaimedDelivery, markSlow, releaseDeliveries } from "./claim-store";
import { enqueue, type QueueSpeed } from "./enqueue";
import { isHeldHere } from "./holds";
import { hangs, sendsOf } from "./send-load";

/**
 * The delay of a message that returns to the slow queue. Without a delay it would arrive at once and find the same
 * sends running.
 */
const RETURN_TO_SLOW_SECONDS = 1;
const MARK_AGAIN_MS = 30_000;
/** Bounds the memory. */
const MAX_MARKS = 10_000;
const markedUntil = new Map<string, number>();

/**
 * Releases claimed deliveries that were not sent, and queues them and the unclaimed `waiting` again. Throws when D1 or
 * a queue is down.
 */
export async function handBack(
  deps: Deps,
  speed: QueueSpeed,
  claim: string,
  waiting: readonly ShardKey[],
  claimed: readonly (ClaimedDelivery & { shard: number })[],
): Promise<void> {
  for (const [shard, deliveries] of Map.groupBy(claimed, (delivery) => delivery.shard)) {
    await releaseDeliveries(deps.shards.db(shard), claim, deliveries);
  }
  for (const [shard, keys] of Map.groupBy([...waiting, ...claimed], (key) => key.shard)) {
    await queueAgain(deps, speed, shard, keys);
  }
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
    if (isSaturated(key) || isHeldHere(key.subscriptionId, nowMs)) return "backlog";
    return speed === "slow" || hangs(key.subscriptionId, nowMs) ? "slow" : "fast";
  });
  await moveToBacklogs(deps, shard, backlog);
  await enqueue(deps, "slow", shard, slow, speed === "slow" ? RETURN_TO_SLOW_SECONDS : 0);
  await enqueue(deps, "fast", shard, fast);
}

/** Moves deliveries to the backlogs of their subscriptions. Throws when D1 is down. */
export async function moveToBacklogs(deps: Deps, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  const elsewhere = keys.filter(({ queue }) => queue === "");
  for (const [subscriptionId, waiting] of Map.groupBy(elsewhere, (key) => key.subscriptionId)) {
    await moveToLane(deps.shards.db(shard), subscriptionId, waiting);
  }
}

/** Marks a subscription as slow in the background, at most every 30 seconds per isolate. */
export function markSlowInBackground(deps: Deps, shard: number, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (markedUntil.get(subscriptionId) ?? 0)) return;
  if (markedUntil.size >= MAX_MARKS) markedUntil.clear();
  markedUntil.set(subscriptionId, nowMs + MARK_AGAIN_MS);
  deps.background("mark slow", markSlow(deps.shards.db(shard), subscriptionId, nowMs));
}
