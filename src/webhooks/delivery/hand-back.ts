/**
 * Deliveries that a run could not start return to their queue, move to the slow queue, or join the backlog of their
 * subscription.
 */
import type { Deps } from "../../base/deps";
import type { OutboxKey, ShardKey } from "../../base/messages";
import { enqueue } from "../plane/enqueue";
import { markSlow, moveToLanes } from "../plane/lane-store";
import { MARK_SLOW_AGAIN_MS, RETURN_TO_SLOW_SECONDS } from "../plane/timing";
import { isCoolingHere, memory } from "./isolate-memory";
import { widthOf } from "./lanes/width";
import { releaseDeliveries } from "./release-store";
import type { Claimed, Run } from "./run-states";
import type { NotSent } from "./send";
import { hangs, sendsOf } from "./send-load";

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
    handBack({ ...run, speed: "slow" }, [delivery]);
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

async function queueAgain({ deps, speed }: Run, shard: number, keys: readonly OutboxKey[]): Promise<void> {
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
  await moveToLanes(deps.shards.db(shard), backlog);
}

/** Marks a subscription as slow in the background, at most every 30 seconds per isolate. */
export function markSlowInBackground(deps: Deps, shard: number, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (memory.markedSlowUntilMs.get(subscriptionId) ?? 0)) return;
  memory.markedSlowUntilMs.set(subscriptionId, nowMs + MARK_SLOW_AGAIN_MS);
  deps.background("mark slow", markSlow(deps.shards.db(shard), subscriptionId, nowMs));
}
