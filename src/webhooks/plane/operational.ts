/** Sending operational events that a batch has written. */
import type { Deps } from "../../base/deps";
import { enqueueFanOut } from "./fan-out";

/** Starts the fan-out of new operational events in the background. If the queue is down, the sweep starts it. */
export function sendOperational(deps: Deps, shard: number, ...written: readonly (readonly { id: string }[])[]): void {
  const fanOuts = written.flat().map(({ id }) => ({ eventId: id, fanOutAfter: "" }));
  deps.background("send operational events", enqueueFanOut(deps, shard, fanOuts));
}
