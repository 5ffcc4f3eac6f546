/** Nudges for deliveries that are due: a lost one costs time, never the delivery, for the sweep sends it again. */
import type { Deps } from "../deps";
import type { DeliveryJob } from "./job";
import { DEFER_BY_SWEEP_MS } from "./store";

/** Limit of one `sendBatch`. */
const MESSAGES_PER_BATCH = 100;

/** Sends a message for each delivery, in the lane of its subscription's health. */
export async function enqueueDeliveries(
  deps: Deps,
  deliveries: readonly { id: string; slow: 0 | 1 }[],
  delaySeconds = 0,
): Promise<void> {
  const dueAt = deps.now();
  const jobs = (slow: 0 | 1) =>
    deliveries
      .filter((delivery) => delivery.slow === slow)
      .map(({ id }) => ({ body: { deliveryId: id, dueAt }, delaySeconds }));
  await Promise.all([sendInBatches(deps.deliveryQueue, jobs(0)), sendInBatches(deps.slowDeliveryQueue, jobs(1))]);
}

/** Sends a retry for each delivery through the slow lane, so that it comes at `dueAt` or up to a second before. */
export async function enqueueRetries(deps: Deps, deliveries: readonly { id: string; dueAt: number }[]): Promise<void> {
  const nowMs = deps.now();
  const messages = deliveries.map(({ id, dueAt }) => ({
    body: { deliveryId: id, dueAt },
    delaySeconds: Math.max(0, Math.floor((dueAt - nowMs) / 1000)),
  }));
  await sendInBatches(deps.slowDeliveryQueue, messages);
}

/** Nudges for deliveries put off while their subscriber hangs; one put off for longer is left to the sweep. */
export async function enqueueDeferred(deps: Deps, deliveries: readonly { id: string; dueAt: number }[]): Promise<void> {
  const soon = deliveries.filter(({ dueAt }) => dueAt - deps.now() < DEFER_BY_SWEEP_MS);
  await enqueueRetries(deps, soon);
}

async function sendInBatches(
  queue: Pick<Queue<DeliveryJob>, "sendBatch">,
  messages: MessageSendRequest<DeliveryJob>[],
): Promise<void> {
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    await queue.sendBatch(messages.slice(start, start + MESSAGES_PER_BATCH));
  }
}
