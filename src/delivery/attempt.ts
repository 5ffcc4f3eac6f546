/** Makes one attempt: checks the subscription, decrypts its secret, sends, and returns the result to record. */
import { decrypt } from "../crypto/encryption";
import { newIdAt } from "../db/ids";
import type { Deps } from "../deps";
import { describeError, type LogFields, log } from "../log";
import { secretOwner } from "../subscriptions/secret";
import { refuseTarget } from "../subscriptions/target";
import type { ClaimedDelivery } from "./claim-store";
import { blocked, PAUSED } from "./reasons";
import type { AttemptResult } from "./record-store";
import { correlationOf, failure, type Outcome, send } from "./send";
import { CONTRACT_SCHEDULE, retryWaitMs, SLOW_SEND_MS } from "./timing";

/**
 * Makes an attempt and returns its result. Returns "deleted" when the subscription no longer exists, and "our fault" when the service
 * could not make the request, which uses up no attempt. Never throws.
 */
export async function makeAttempt(
  deps: Deps,
  delivery: ClaimedDelivery,
): Promise<AttemptResult | "deleted" | "our fault"> {
  if (delivery.isDeleted === 1) return "deleted";
  const startedAt = deps.now();
  const outcome = await sendUnlessStopped(deps, delivery, startedAt);
  if (outcome === "our fault") return outcome;
  const completedAt = deps.now();
  log(outcome.status === "success" ? "info" : "warn", "attempt", {
    ...namesOf(delivery),
    outcome: outcome.status,
    responseCode: outcome.responseCode,
    reason: outcome.error,
    ms: completedAt - startedAt,
  });
  const schedule = delivery.options?.retry?.schedule ?? CONTRACT_SCHEDULE;
  const waitMs = outcome.status === "success" ? null : retryWaitMs(delivery.attemptCount, schedule, Math.random());
  const nextDueAt = waitMs === null ? null : completedAt + waitMs;
  return {
    queue: delivery.queue,
    dueAt: delivery.dueAt,
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    bytes: delivery.bytes,
    attemptId: delivery.attemptId,
    isRetry: delivery.kind === "retry" ? 1 : 0,
    status: outcome.status,
    responseCode: outcome.responseCode,
    responseBody: outcome.responseBody,
    error: outcome.error,
    startedAt,
    completedAt,
    latencyMs: outcome.wasAnswered || outcome.timedOut ? completedAt - startedAt : null,
    nextDueAt,
    nextAttemptId: nextDueAt === null ? null : newIdAt(nextDueAt),
    slow: completedAt - startedAt >= SLOW_SEND_MS ? 1 : 0,
  };
}

/** The fields that connect the attempts of a delivery with each other and with the publish request in the log. */
function namesOf(delivery: ClaimedDelivery): LogFields {
  return {
    tenantId: delivery.tenantId,
    eventId: delivery.eventId,
    correlationId: delivery.correlationId,
    webhookId: delivery.subscriptionId,
    deliveryId: delivery.id,
    attempt: delivery.attemptCount,
  };
}

/** Sends unless the subscription is paused or its URL may not be called. Manual retries and tests are sent even during a pause. */
async function sendUnlessStopped(deps: Deps, delivery: ClaimedDelivery, nowMs: number): Promise<Outcome | "our fault"> {
  if (delivery.kind === "event" && delivery.enabled === 0) return failure(PAUSED);
  const refusal = refuseTarget(delivery.url, deps.config.webhookEgress);
  if (refusal) return failure(blocked(refusal));
  try {
    const secret = await decrypt(deps.keys, secretOwner(delivery.subscriptionId), delivery.secretSealed);
    const correlationId = correlationOf(delivery.kind, delivery.correlationId);
    return await send({ ...delivery, deliveryId: delivery.id, secret, correlationId }, nowMs);
  } catch (error) {
    log("error", "delivery could not be sent", { ...namesOf(delivery), ...describeError(error) });
    return "our fault";
  }
}
