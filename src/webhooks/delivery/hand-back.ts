/**
 * Deliveries that a run could not start return to their queue, move to the slow queue, or join the backlog of their
 * subscription.
 */
import type { Deps } from "../../platform/deps";
import type { OutboxKey, ShardKey } from "../../platform/messages";
import { isCoolingHere } from "../lanes/cooldown";
import { markSlow, moveToLanes } from "../lanes/lane-store";
import { widthOf } from "../lanes/width";
import { enqueue, type QueueSpeed } from "./enqueue";
import { memory } from "./isolate-memory";
import { releaseDeliveries } from "./release-store";
import type { Claimed } from "./run-states";
import { hangs, sendsOf } from "./send-load";
import { MARK_SLOW_AGAIN_MS, RETURN_TO_SLOW_SECONDS } from "./timing";

const isClaimed = (key: ShardKey): key is Claimed => "attemptId" in key;

/** Queues deliveries again, in the background and those of each database on their own. Releases claimed ones first. */
export function handBack(deps: Deps, speed: QueueSpeed, claim: string, keys: readonly ShardKey[]): void {
  for (const [shard, ofShard] of Map.groupBy(keys, (key) => key.shard)) {
    deps.background("hand back", releaseAndQueue(deps, speed, claim, shard, ofShard));
  }
}

async function releaseAndQueue(
  deps: Deps,
  speed: QueueSpeed,
  claim: string,
  shard: number,
  keys: readonly ShardKey[],
): Promise<void> {
  const claimed = keys.filter(isClaimed);
  const unclaimed = keys.filter((key) => !isClaimed(key));
  // First, because most of them need no answer from the database.
  await queueAgain(deps, speed, shard, unclaimed);
  if (claimed.length === 0) return;
  await releaseDeliveries(deps.shards.db(shard), claim, claimed);
  await queueAgain(deps, speed, shard, claimed);
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
  await enqueue(deps, "slow", shard, slow, speed === "slow" ? RETURN_TO_SLOW_SECONDS : 0);
  await enqueue(deps, "fast", shard, fast);
  await moveToBacklogs(deps, shard, backlog);
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
