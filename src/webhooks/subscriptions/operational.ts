/** Sending operational events that a batch has written. */
import type { Deps } from "../../platform/deps";

/** One `sendBatch` takes at most 100 messages. */
const MAX_MESSAGES = 100;

/** Starts the fan-out of new operational events in the background. If the queue is down, the sweep starts it. */
export function sendOperational(deps: Deps, shard: number, ...written: readonly (readonly { id: string }[])[]): void {
  const messages = written.flat().map(({ id }) => ({ body: { shard, fanOut: id, afterSubscriptionId: "" } }));
  for (let start = 0; start < messages.length; start += MAX_MESSAGES) {
    const part = messages.slice(start, start + MAX_MESSAGES);
    deps.background("send operational events", deps.deliveryQueues.of(shard).slow.sendBatch(part));
  }
}
