/** What a run could not start goes back: to its queue, to the slow one, or into a queue of its subscription's own. */
import type { Deps } from "../deps";
import { type ClaimedDelivery, markSlow, releaseDeliveries } from "./claim-store";
import { enqueue, type Lane } from "./enqueue";
import type { OutboxKey } from "./message";
import { hangs, MAX_SENDS_OF_SLOW, sendsOf } from "./send-load";
import { moveToBacklog } from "./sweep-store";

/** In the slow lane what found no place comes again after this time, not at once. */
const SLOW_AGAIN_SECONDS = 1;
const MARK_AGAIN_MS = 30_000;
/** Bounds the memory. */
const MAX_MARKS = 10_000;
const markedUntil = new Map<string, number>();

interface ShardKey extends OutboxKey {
  shard: number;
}

/** Gives claimed deliveries back unsent and sends messages for them and for `waiting`, which nobody has claimed. */
export async function handBack(
  deps: Deps,
  lane: Lane,
  claim: string,
  waiting: readonly ShardKey[],
  claimed: readonly (ClaimedDelivery & { shard: number })[],
): Promise<void> {
  for (const [shard, deliveries] of Map.groupBy(claimed, (delivery) => delivery.shard)) {
    await releaseDeliveries(deps.shards.db(shard), claim, deliveries);
  }
  for (const [shard, keys] of Map.groupBy([...waiting, ...claimed], (key) => key.shard)) {
    await queueAgain(deps, lane, shard, keys);
  }
}

async function queueAgain(deps: Deps, lane: Lane, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  const nowMs = deps.now();
  const isSaturated = ({ subscriptionId }: OutboxKey) =>
    sendsOf(subscriptionId) >= MAX_SENDS_OF_SLOW && hangs(subscriptionId, nowMs);
  const {
    backlog = [],
    slow = [],
    fast = [],
  } = Object.groupBy(keys, (key) => {
    if (isSaturated(key)) return "backlog";
    return lane === "slow" || hangs(key.subscriptionId, nowMs) ? "slow" : "fast";
  });
  for (const [subscriptionId, waiting] of Map.groupBy(backlog, (key) => key.subscriptionId)) {
    await moveToBacklog(deps.shards.db(shard), subscriptionId, waiting);
  }
  await enqueue(deps, "slow", shard, slow, lane === "slow" ? SLOW_AGAIN_SECONDS : 0);
  await enqueue(deps, "fast", shard, fast);
}

/** Marks a subscription slow in the background, once in a while. */
export function noteSlow(deps: Deps, shard: number, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (markedUntil.get(subscriptionId) ?? 0)) return;
  if (markedUntil.size >= MAX_MARKS) markedUntil.clear();
  markedUntil.set(subscriptionId, nowMs + MARK_AGAIN_MS);
  deps.background("mark slow", markSlow(deps.shards.db(shard), subscriptionId, nowMs));
}
