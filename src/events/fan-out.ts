/** A fan-out that is too wide for one statement goes on page by page through the queue; the event's row holds how far it has come. */
import { enqueueDue } from "../delivery/enqueue";
import { QUEUE_GRACE_MS } from "../delivery/timing";
import type { Deps } from "../deps";
import { log } from "../log";
import { type FanOut, findUnfinishedFanOuts, writeFanOutPage } from "./fan-out-store";

/** Limit of one `sendBatch`. */
const MAX_FAN_OUTS = 100;

/** Sends the messages that let fan-outs go on, through the slow queue: a wide event must not stand before everybody's. */
export async function enqueueFanOut(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<void> {
  if (fanOuts.length === 0) return;
  await deps.slowDeliveryQueue.sendBatch(
    fanOuts.map(({ eventId, fanOutAfter }) => ({ body: { shard, fanOut: eventId, afterSubscriptionId: fanOutAfter } })),
  );
}

/** Makes the next page of deliveries. A duplicate or late call finds the cursor moved on and does nothing. */
export async function continueFanOut(deps: Deps, shard: number, fanOut: FanOut): Promise<void> {
  const { due, next } = await writeFanOutPage(deps.shards.db(shard), fanOut, deps.now());
  await enqueueDue(deps, shard, due, "slow");
  if (next !== null) await enqueueFanOut(deps, shard, [{ eventId: fanOut.eventId, fanOutAfter: next }]);
}

/** Queues every fan-out of a shard again that has not gone on for a while. */
export async function sweepFanOuts(deps: Deps, shard: number): Promise<void> {
  const stuck = await findUnfinishedFanOuts(deps.shards.db(shard), deps.now() - QUEUE_GRACE_MS, MAX_FAN_OUTS);
  await enqueueFanOut(deps, shard, stuck);
  if (stuck.length > 0) log("warn", "fan-outs swept", { count: stuck.length, shard });
}
