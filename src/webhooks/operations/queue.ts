/** Manual retries and tests: rows first, then the queue, as for any other delivery. */
import { enqueueDeliveries } from "../../delivery/enqueue";
import type { Deps } from "../../deps";
import { AppError, notFound } from "../../errors";
import { insertRetry, insertTest } from "./store";

const TEST_EVENT_TYPE = "WebhookTested";

/** Queues the latest failed delivery again; while one such retry is under way, no second. Throws NOT_FOUND. */
export async function queueRetry(deps: Deps, tenantId: string, id: string): Promise<void> {
  const insertion = await insertRetry(deps, tenantId, id, deps.now());
  switch (insertion.kind) {
    case "queued":
      return deps.background("enqueue retry", enqueueDeliveries(deps, insertion.deliveries));
    case "already queued":
      return;
    case "nothing failed":
      throw new AppError("NOT_FOUND", { message: "No failed deliveries to retry" });
    case "no subscription":
      throw notFound("Webhook");
  }
}

/** Queues a synthetic delivery. Throws NOT_FOUND. */
export async function queueTest(deps: Deps, tenantId: string, id: string): Promise<void> {
  const payloadJson = JSON.stringify({ test: true, webhookId: id });
  const deliveries = await insertTest(deps, tenantId, id, { type: TEST_EVENT_TYPE, payloadJson }, deps.now());
  if (deliveries.length === 0) throw notFound("Webhook");
  deps.background("enqueue test", enqueueDeliveries(deps, deliveries));
}
