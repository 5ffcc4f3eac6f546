/** Puts deliveries of limited subscriptions back into the outbox until their slots. No attempt is used up. */
import type { Deps } from "../../platform/deps";
import { enqueue, enqueueSlots, keyOnly, type QueueSpeed } from "../delivery/enqueue";
import { DUE_BEFORE_SWEPT_SLOT_MS, GATE_RETRY_MS, LONGEST_SLOT_MESSAGE_DELAY_MS } from "../delivery/timing";
import { type Deferral, deferDeliveries, type LimitedDelivery, postponeDeliveries } from "./line-store";

/** How many deliveries one round trip writes. Small, because other deliveries wait in the meantime. */
const WRITTEN_ROWS = 100;
/** The shortest time between two such writes of this isolate. */
const TURN_MS = 40;
/** On the monotonic clock, because a wall clock that is set back would make everything wait. */
let nextTurnMs = 0;

/** Returns until when a delivery with this slot (Unix ms) waits. */
export function deferralOf(deps: Deps, delivery: LimitedDelivery, slotAtMs: number): Deferral {
  const isFar = slotAtMs - deps.now() > LONGEST_SLOT_MESSAGE_DELAY_MS;
  return { key: keyOnly(delivery), dueAt: isFar ? slotAtMs - DUE_BEFORE_SWEPT_SLOT_MS : slotAtMs, slotAtMs };
}

/**
 * Postpones deliveries of one subscription, unless its limits are no longer `limitsText`. Throws when D1 or the queue
 * is down.
 */
export async function defer(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  deferrals: readonly Deferral[],
  limitsText: string,
): Promise<void> {
  const inOrder = deferrals.toSorted((a, b) => a.dueAt - b.dueAt);
  for (let done = 0; done < inOrder.length; done += WRITTEN_ROWS) {
    await takeTurn();
    await deferPage(deps, speed, shard, inOrder.slice(done, done + WRITTEN_ROWS), limitsText);
  }
}

async function takeTurn(): Promise<void> {
  const nowMs = performance.now();
  const turnMs = Math.max(nowMs, nextTurnMs);
  nextTurnMs = turnMs + TURN_MS;
  if (turnMs > nowMs) await scheduler.wait(turnMs - nowMs);
}

async function deferPage(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  deferrals: readonly Deferral[],
  limitsText: string,
): Promise<void> {
  const deferred = await deferDeliveries(deps.shards.db(shard), deferrals, limitsText);
  const withMessage = deferrals.flatMap(({ key, dueAt, slotAtMs }) =>
    deferred.has(key.id) && slotAtMs === dueAt ? [{ key: { ...key, dueAt }, slotAtMs }] : [],
  );
  await enqueueSlots(deps, speed, shard, withMessage);
  // The limits have changed in the meantime, or another consumer has the delivery. The next claim finds out which.
  const others = deferrals.flatMap(({ key }) => (deferred.has(key.id) ? [] : [key]));
  await enqueue(deps, speed, shard, others);
}

/**
 * Postpones deliveries whose gate cannot be reached: nothing is sent without its permission. Throws when D1 or the
 * queue is down.
 */
export async function postpone(
  deps: Deps,
  speed: QueueSpeed,
  shard: number,
  deliveries: readonly LimitedDelivery[],
): Promise<void> {
  const dueAt = deps.now() + GATE_RETRY_MS;
  const deferrals = deliveries.map((delivery) => ({
    key: keyOnly(delivery),
    dueAt,
    slotAtMs: delivery.slotAtMs === null ? null : Math.max(delivery.slotAtMs, dueAt),
  }));
  await postponeDeliveries(deps.shards.db(shard), deferrals);
  const keys = deferrals.map(({ key }) => ({ ...key, dueAt }));
  await enqueue(deps, speed, shard, keys, GATE_RETRY_MS / 1000);
}
