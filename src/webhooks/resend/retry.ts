/** Manual retries and tests. As with any other delivery, the rows are written before the message is queued. */
import { utf8 } from "../../platform/crypto/encoding";
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import { reserve, reserveUpTo } from "../../platform/limits/reserve";
import { TEST_EVENT_TYPE } from "../../platform/schemas/event-type";
import { enqueueDue } from "../delivery/enqueue";
import type { Publisher } from "../events/publish";
import { insertRetries, insertRetry, insertTest, MAX_RETRIES_PER_CALL } from "./store";

/**
 * Sends the latest delivery of a subscription again if its attempt failed, as a new delivery. Does nothing while such a
 * retry is in progress. Throws NOT_FOUND, and RATE_LIMITED or EMAIL_NOT_VERIFIED when the tenant has used up its
 * deliveries.
 */
export const retryLatest = (deps: Deps, tenant: Publisher, id: string): Promise<void> =>
  insertAndQueue(deps, tenant, id, null);

/** Does the same for the delivery with the id `deliveryId`. Throws the same errors. */
export const retryDelivery = (deps: Deps, tenant: Publisher, id: string, deliveryId: string): Promise<void> =>
  insertAndQueue(deps, tenant, id, deliveryId);

async function insertAndQueue(deps: Deps, tenant: Publisher, id: string, deliveryId: string | null): Promise<void> {
  const budget = await reserve(deps, tenant, { deliveries: 1 });
  const insertion = await insertRetry(deps, tenant, id, deliveryId, deps.now());
  if (insertion.kind !== "queued") deps.background("give back", budget.giveBack({ deliveries: 1 }));
  switch (insertion.kind) {
    case "queued":
      return deps.background("enqueue retry", enqueueDue(deps, tenant.shard, insertion.due));
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
 * Queues the failed deliveries of events since `since` (Unix ms) again under their old ids, at most 500 per call.
 * `nextCursor` is the cursor for the rest; null when there is none. Throws NOT_FOUND, CONFLICT while the subscription
 * is paused, because every attempt would fail, and RATE_LIMITED or EMAIL_NOT_VERIFIED when the tenant has used up its
 * deliveries.
 */
export async function retryFailed(
  deps: Deps,
  tenant: Publisher,
  id: string,
  failures: { since: number; cursor?: string | undefined },
): Promise<{ queued: number; nextCursor: string | null }> {
  const { limit, giveBack } = await reserveUpTo(deps, tenant, MAX_RETRIES_PER_CALL);
  const inserted = await insertRetries(deps, tenant, id, { ...failures, limit }, deps.now());
  deps.background("give back", giveBack({ deliveries: limit - (inserted?.count ?? 0) }));
  if (!inserted) throw notFound("Webhook");
  if (!inserted.enabled) throw new AppError("CONFLICT", { message: "Resume the webhook first." });
  deps.background("enqueue failed", enqueueDue(deps, tenant.shard, inserted.due, "slow"));
  return { queued: inserted.count, nextCursor: inserted.nextCursor };
}

/**
 * Sends a synthetic event to this subscription alone. Throws NOT_FOUND, and RATE_LIMITED or EMAIL_NOT_VERIFIED when the
 * tenant has used up its deliveries.
 */
export async function sendTest(deps: Deps, tenant: Publisher, id: string): Promise<void> {
  const payload = JSON.stringify({ test: true, webhookId: id });
  const event = { type: TEST_EVENT_TYPE, payload, bytes: utf8(payload).length };
  const budget = await reserve(deps, tenant, { deliveries: 1 });
  const due = await insertTest(deps, tenant, id, event, deps.now());
  if (!due) {
    await budget.giveBack({ deliveries: 1 });
    throw notFound("Webhook");
  }
  deps.background("enqueue test", enqueueDue(deps, tenant.shard, due));
}
