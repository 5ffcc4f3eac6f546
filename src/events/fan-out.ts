/** A fan-out too wide for one statement goes on page by page through the queue; the event's row holds how far it has come. */
import { enqueueDeliveries } from "../delivery/enqueue";
import { QUEUE_GRACE_MS } from "../delivery/timing";
import type { Deps } from "../deps";
import { log } from "../log";
import { type FanOut, fanOutPage, findUnfinishedFanOuts } from "./store";

/** Limit of one `sendBatch`. */
const MAX_FAN_OUTS = 100;

/** Nudges fan-outs on; a lost nudge is sent again by the sweep. */
export async function enqueueFanOut({ deliveryQueue }: Deps, fanOuts: readonly FanOut[]): Promise<void> {
  if (fanOuts.length === 0) return;
  await deliveryQueue.sendBatch(
    fanOuts.map(({ eventId, fanOutAfter }) => ({ body: { fanOut: eventId, afterSubscriptionId: fanOutAfter } })),
  );
}

/** Makes the next page of deliveries. A duplicate or late call finds the cursor moved on and does nothing. */
export async function continueFanOut(deps: Deps, fanOut: FanOut): Promise<void> {
  const { deliveries, next } = await fanOutPage(deps, fanOut, deps.now());
  if (next !== null) await enqueueFanOut(deps, [{ eventId: fanOut.eventId, fanOutAfter: next }]);
  await enqueueDeliveries(deps, deliveries);
}

/** Queues again every fan-out that has not gone on for a while. */
export async function sweepFanOuts(deps: Deps): Promise<void> {
  const stuck = await findUnfinishedFanOuts(deps, deps.now() - QUEUE_GRACE_MS, MAX_FAN_OUTS);
  await enqueueFanOut(deps, stuck);
  if (stuck.length > 0) log("warn", "fan-outs swept", { count: stuck.length });
}
