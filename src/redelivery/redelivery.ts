/** Manual retries and tests: rows first, then the queue, as for any other delivery. */
import { enqueueDeliveries } from "../delivery/enqueue";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import { insertRetry, insertTest, reopenFailed } from "./store";

const TEST_EVENT_TYPE = "WebhookTested";

/** Queues the latest failed delivery again; while one such retry is under way, no second. Throws NOT_FOUND. */
export const queueRetry = (deps: Deps, tenantId: string, id: string): Promise<void> =>
  insertAndQueue(deps, tenantId, id, null);

/** Queues one failed delivery again, under the same rule. Throws NOT_FOUND. */
export const queueRetryOf = (deps: Deps, tenantId: string, id: string, deliveryId: string): Promise<void> =>
  insertAndQueue(deps, tenantId, id, deliveryId);

async function insertAndQueue(deps: Deps, tenantId: string, id: string, deliveryId: string | null): Promise<void> {
  const insertion = await insertRetry(deps, tenantId, id, deliveryId, deps.now());
  switch (insertion.kind) {
    case "queued":
      return deps.background("enqueue retry", enqueueDeliveries(deps, insertion.deliveries));
    case "already queued":
      return;
    case "nothing failed":
      throw new AppError("NOT_FOUND", { message: "No failed deliveries to retry" });
    case "no delivery":
      throw notFound("Delivery");
    case "no subscription":
      throw notFound("Webhook");
  }
}

/**
 * Queues again what failed of the events since then, at most 500 deliveries a call; `nextCursor` leads to the rest. Throws
 * NOT_FOUND; CONFLICT while paused, for then their attempts would fail unsent.
 */
export async function queueFailed(
  deps: Deps,
  tenantId: string,
  id: string,
  failures: { since: number; cursor?: string | undefined },
): Promise<{ queued: number; nextCursor: string | null }> {
  const requeued = await reopenFailed(deps, tenantId, id, failures, deps.now());
  if (!requeued) throw notFound("Webhook");
  if (!requeued.enabled) throw new AppError("CONFLICT", { message: "Resume the webhook first." });
  const { deliveries, nextCursor } = requeued;
  deps.background("enqueue failed", enqueueDeliveries(deps, deliveries));
  return { queued: deliveries.length, nextCursor };
}

/** Queues a synthetic delivery. Throws NOT_FOUND. */
export async function queueTest(deps: Deps, tenantId: string, id: string): Promise<void> {
  const payloadJson = JSON.stringify({ test: true, webhookId: id });
  const deliveries = await insertTest(deps, tenantId, id, { type: TEST_EVENT_TYPE, payloadJson }, deps.now());
  if (deliveries.length === 0) throw notFound("Webhook");
  deps.background("enqueue test", enqueueDeliveries(deps, deliveries));
}
