/**
 * A fan-out that is too wide for one statement continues page by page through the queue. The event's row stores how far
 * it has come.
 */

import type { Deps } from "../../platform/deps";
import { log } from "../../platform/log";
import { enqueueDue } from "../delivery/enqueue";
import { QUEUE_GRACE_MS } from "../delivery/timing";
import { type FanOut, findUnfinishedFanOuts, writeFanOutPage } from "./fan-out-store";

/** One `sendBatch` takes at most 100 messages. */
const MAX_FAN_OUTS = 100;

/**
 * Queues the next page of each fan-out, in the slow queue, so that a wide event does not delay others. Throws when the
 * queue is down.
 */
export async function enqueueFanOut(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<void> {
  const messages = fanOuts.map(({ eventId, fanOutAfter }) => ({
    body: { shard, fanOut: eventId, afterSubscriptionId: fanOutAfter },
  }));
  for (let start = 0; start < messages.length; start += MAX_FAN_OUTS) {
    await deps.deliveryQueues.of(shard).slow.sendBatch(messages.slice(start, start + MAX_FAN_OUTS));
  }
}

/**
 * Creates and queues the next page of deliveries. A duplicate or late call does nothing. Throws when D1 or the queue is
 * down.
 */
export async function continueFanOut(deps: Deps, shard: number, fanOut: FanOut): Promise<void> {
  const { due, next } = await writeFanOutPage(deps.shards.db(shard), fanOut, deps.now());
  await enqueueDue(deps, shard, due, "slow");
  if (next !== null) await enqueueFanOut(deps, shard, [{ eventId: fanOut.eventId, fanOutAfter: next }]);
}

/**
 * Queues again every fan-out of a shard that has not finished after a few seconds. Throws when D1 or the queue is down.
 */
export async function sweepFanOuts(deps: Deps, shard: number): Promise<void> {
  const stuck = await findUnfinishedFanOuts(deps.shards.db(shard), deps.now() - QUEUE_GRACE_MS, MAX_FAN_OUTS);
  await enqueueFanOut(deps, shard, stuck);
  if (stuck.length > 0) log("warn", "fan-outs swept", { count: stuck.length, shard });
}
