/**
 * A fan-out that is too wide for one statement continues page by page through the queue. The event's row stores how far
 * it has come.
 */

import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import { type FanOut, type FanOutMessage, MAX_FAN_OUTS_PER_MESSAGE } from "../../base/messages";
import { readUnfinishedFanOuts } from "./fan-out-store";
import { QUEUE_GRACE_MS } from "./timing";

/** One `sendBatch` takes at most 100 messages. */
const MESSAGES_PER_BATCH = 100;
/** How many fan-outs one sweep of a shard queues again. */
const MAX_SWEPT = 100;

/**
 * Queues the next page of each fan-out, in the slow queue, so that a wide event does not delay others. Throws when the
 * queue is down.
 */
export async function enqueueFanOut(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<void> {
  const messages: MessageSendRequest<FanOutMessage>[] = [];
  for (let start = 0; start < fanOuts.length; start += MAX_FAN_OUTS_PER_MESSAGE) {
    messages.push({ body: { shard, fanOuts: fanOuts.slice(start, start + MAX_FAN_OUTS_PER_MESSAGE) } });
  }
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    await deps.deliveryQueues.of(shard).slow.sendBatch(messages.slice(start, start + MESSAGES_PER_BATCH));
  }
}

/**
 * Queues again every fan-out of a shard that has not finished after a few seconds. Throws when D1 or the queue is down.
 */
export async function sweepFanOuts(deps: Deps, shard: number): Promise<void> {
  const stuck = await readUnfinishedFanOuts(deps.shards.db(shard), deps.now() - QUEUE_GRACE_MS, MAX_SWEPT);
  await enqueueFanOut(deps, shard, stuck);
  if (stuck.length > 0) log("warn", "fan-outs swept", { count: stuck.length, shard });
}
