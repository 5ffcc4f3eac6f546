/** Manual retries and tests: rows first, then the queue, as for any other delivery. */
import { utf8 } from "../crypto/encoding";
import { enqueueDue } from "../delivery/enqueue";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import type { Publisher } from "../events/publish";
import { type Reservation, reserve } from "../ratelimit/reserve";
import { insertRetry, insertTest, MAX_REOPENED, reopenFailed } from "./store";

const TEST_EVENT_TYPE = "WebhookTested";

/** Queues the latest failed delivery again; while one such retry is under way, no second. Throws NOT_FOUND. */
export const retryLatest = (deps: Deps, tenant: Publisher, id: string): Promise<void> =>
  insertAndQueue(deps, tenant, id, null);

/** Queues one failed delivery again, under the same rule. Throws NOT_FOUND. */
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
 * Queues again what has failed of the events since then, at most 500 deliveries a call; `nextCursor` leads to the rest. Throws
 * NOT_FOUND; CONFLICT while paused, for then their attempts would fail unsent.
 */
export async function retryFailed(
  deps: Deps,
  tenant: Publisher,
  id: string,
  failures: { since: number; cursor?: string | undefined },
): Promise<{ queued: number; nextCursor: string | null }> {
  const { limit, giveBack } = await reserveUpTo(deps, tenant, MAX_REOPENED);
  const reopened = await reopenFailed(deps, tenant, id, { ...failures, limit }, deps.now());
  deps.background("give back", giveBack({ deliveries: limit - (reopened?.count ?? 0) }));
  if (!reopened) throw notFound("Webhook");
  if (!reopened.enabled) throw new AppError("CONFLICT", { message: "Resume the webhook first." });
  deps.background("enqueue failed", enqueueDue(deps, tenant.shard, reopened.due, "slow"));
  return { queued: reopened.count, nextCursor: reopened.nextCursor };
}

/** Reserves as many deliveries as the tenant's budget still has, by tens. Throws when it has none. */
async function reserveUpTo(deps: Deps, tenant: Publisher, most: number): Promise<Reservation & { limit: number }> {
  for (let limit = most; limit > 1; limit = Math.ceil(limit / 10)) {
    const reservation = await reserve(deps, tenant, { deliveries: limit }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return null;
    });
    if (reservation) return { ...reservation, limit };
  }
  return { ...(await reserve(deps, tenant, { deliveries: 1 })), limit: 1 };
}

/** Queues a synthetic delivery. Throws NOT_FOUND. */
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
