/** Manual retries and tests. As with any other delivery, the rows are written before the message is queued. */

import { reserve, reserveUpTo } from "../../base/budgets/reserve";
import { utf8 } from "../../base/crypto/encoding";
import { toStored } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import { AppError, invalidField, notFound } from "../../base/errors";
import { TEST_EVENT_TYPE } from "../../base/schemas/event-type";
import { placesOf, whereFound } from "../../tenancy/moves/places";
import { findType } from "../event-types/store";
import type { Publisher } from "../events/accept";
import { enqueue, enqueueDue } from "../plane/enqueue";
import { findSubscription } from "../subscriptions/store";
import { type InsertedRetries, insertRetries, insertRetry, insertTest, MAX_RETRIES_PER_CALL } from "./store";

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
  let place = tenant;
  const insertion = await whereFound(
    deliveryId === null ? await placeOfLatest(deps, tenant, id) : tenant,
    (there) => {
      place = there;
      return insertRetry(deps, there, id, deliveryId, deps.now());
    },
    ({ kind }) => kind === "queued" || kind === "already queued",
  );
  if (insertion.kind !== "queued") deps.background("give back", budget.giveBack({ deliveries: 1 }));
  switch (insertion.kind) {
    case "queued":
      return deps.background("enqueue retry", enqueueDue(deps, place.shard, insertion.due));
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
  let queued = 0;
  let nextCursor: string | null = null;
  let present: InsertedRetries | undefined;
  // The older failures first. What is queued again is not found again, so each place can continue after the cursor.
  for (const place of placesOf(tenant).reverse()) {
    present = await insertRetries(deps, place, id, { ...failures, limit: limit - queued }, deps.now());
    if (!present?.enabled) continue;
    queued += present.count;
    deps.background("enqueue failed", enqueue(deps, "slow", place.shard, present.due));
    nextCursor = present.nextCursor;
    if (nextCursor !== null) break;
  }
  deps.background("give back", giveBack({ deliveries: limit - queued }));
  if (!present) throw notFound("Webhook");
  if (!present.enabled) throw new AppError("CONFLICT", { message: "Resume the webhook first." });
  return { queued, nextCursor };
}

/** The place of the latest attempt: the former database only has it while the present one has none. */
async function placeOfLatest(deps: Deps, tenant: Publisher, id: string): Promise<Publisher> {
  if (placesOf(tenant).length === 1) return tenant;
  const subscription = await findSubscription(deps, tenant, id);
  return subscription?.lastTriggeredAt == null ? tenant : { ...tenant, formerShard: null };
}

/** An example of a declared type, by its place; without a type, the synthetic event. */
export interface TestQuery {
  type?: string | undefined;
  example: number;
}

/**
 * Sends an event to this subscription alone. Throws NOT_FOUND, VALIDATION_FAILED without such an example, and
 * RATE_LIMITED or EMAIL_NOT_VERIFIED when the tenant has used up its deliveries.
 */
export async function sendTest(deps: Deps, tenant: Publisher, id: string, asked?: TestQuery): Promise<void> {
  const payload = JSON.stringify(
    asked?.type === undefined
      ? { test: true, webhookId: id }
      : await exampleOf(deps, tenant, asked.type, asked.example),
  );
  const event = {
    type: asked?.type ?? TEST_EVENT_TYPE,
    payload: await toStored(payload),
    bytes: utf8(payload).length,
  };
  const budget = await reserve(deps, tenant, { deliveries: 1 });
  const due = await insertTest(deps, tenant, id, event, deps.now());
  if (!due) {
    await budget.giveBack({ deliveries: 1 });
    throw notFound("Webhook");
  }
  deps.background("enqueue test", enqueueDue(deps, tenant.shard, due));
}

async function exampleOf(deps: Deps, tenant: Publisher, type: string, place: number): Promise<unknown> {
  const declared = await findType(deps, tenant, type);
  if (!declared) throw invalidField("type", "No event type has this name.");
  const example = declared.newest.examples?.[place];
  if (example === undefined) throw invalidField("example", "The event type has no such example.");
  return example;
}
