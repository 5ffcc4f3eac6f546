/**
 * Deliveries that a run could not start return to their queue, move to the slow queue, or join the backlog of their
 * subscription.
 */
import type { Deps } from "../../base/deps";
import type { OutboxKey, ShardKey } from "../../base/messages";
import { enqueue } from "../plane/enqueue";
import { markSlow } from "../plane/lane-store";
import { MARK_SLOW_AGAIN_MS, requeueAfterFaultSeconds } from "../plane/timing";
import { isCoolingHere, memory } from "./isolate-memory";
import { waitInLanes } from "./lanes/feed";
import { Places } from "./places";
import { releaseDeliveries } from "./release-store";
import type { Claimed, Run } from "./run-states";
import type { NotSent } from "./send";
import { isQuick } from "./send-load";

const isClaimed = (key: ShardKey): key is Claimed => "attemptId" in key;

/** Queues deliveries again, in the background and those of each database on their own. Releases claimed ones first. */
export function handBack(run: Run, keys: readonly ShardKey[]): void {
  for (const [shard, ofShard] of Map.groupBy(keys, (key) => key.shard)) {
    run.deps.background("hand back", releaseAndQueue(run, shard, ofShard));
  }
}

/** Releases a delivery whose request could not be made, in the background. The sweep finds one that has to wait. */
export function releaseUnsent(run: Run, delivery: Claimed, { retryInMs }: NotSent): void {
  if (retryInMs === null) {
    handBack(run, [delivery]);
    return;
  }
  const wait = { untilMs: run.deps.now() + retryInMs, waitsFor: null, limits: null };
  const released = releaseDeliveries(run.deps.shards.db(delivery.shard), run.claim, [{ ...delivery, wait }]);
  run.deps.background("release a delivery", released);
}

async function releaseAndQueue(run: Run, shard: number, keys: readonly ShardKey[]): Promise<void> {
  const claimed = keys.filter(isClaimed);
  // First, because most of them need no answer from the database.
  await queueAgain(
    run,
    shard,
    keys.filter((key) => !isClaimed(key)),
  );
  if (claimed.length === 0) return;
  await releaseDeliveries(run.deps.shards.db(shard), run.claim, claimed);
  await queueAgain(run, shard, claimed);
}

/**
 * What has a place gets the connections of another invocation: in the fast queue, if its receiver answers at once, so
 * that it does not wait behind those that do not. The rest waits in the lanes of its subscriptions, which its results
 * and those of its tenant feed.
 */
async function queueAgain({ deps }: Run, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  if (keys.length === 0) return;
  const nowMs = deps.now();
  const places = new Places(nowMs);
  const {
    backlog = [],
    slow = [],
    fast = [],
  } = Object.groupBy(keys, (key) => {
    if (isCoolingHere(key.subscriptionId, nowMs) || !places.plan(key)) return "backlog";
    return isQuick(key.subscriptionId, nowMs) ? "fast" : "slow";
  });
  await Promise.all([enqueue(deps, "fast", shard, fast), enqueue(deps, "slow", shard, slow)]);
  await waitInLanes(deps, shard, backlog);
}

/** Queues unclaimed deliveries again after a while, because their database has failed; in the background. */
export function queueAfterFault({ deps, speed }: Pick<Run, "deps" | "speed">, keys: readonly ShardKey[]): void {
  for (const [shard, ofShard] of Map.groupBy(keys, (key) => key.shard)) {
    deps.background("queue after a fault", enqueue(deps, speed, shard, ofShard, requeueAfterFaultSeconds(1)));
  }
}

/** Marks a subscription as slow in the background, at most every 30 seconds per isolate. */
export function markSlowInBackground(deps: Deps, shard: number, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (memory.markedSlowUntilMs.get(subscriptionId) ?? 0)) return;
  memory.markedSlowUntilMs.set(subscriptionId, nowMs + MARK_SLOW_AGAIN_MS);
  deps.background("mark slow", markSlow(deps.shards.db(shard), subscriptionId, nowMs));
}
