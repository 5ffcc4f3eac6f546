/** Makes one attempt: checks the subscription, decrypts its secret, sends, and returns the result to record. */
import { newIdAt } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { describeError, type LogFields, log } from "../../platform/log";
import { isForPauses } from "../lanes/cooldown";
import { holdsWhenOff } from "../lanes/lane";
import { sendToListener } from "../listen/send";
import { type Decrypt, keysInForce } from "../signing/keys";
import { type Headers, headersOwner } from "../subscriptions/header-options";
import { refuseTarget } from "../subscriptions/target";
import type { ClaimedDelivery } from "./claim-store";
import { bodyOf } from "./envelope";
import { blocked, CONNECTION_FAILED, EXHAUSTED, PAUSED } from "./reasons";
import type { AttemptResult } from "./record-store";
import { correlationOf, failure, type Outcome, RuntimeFault, send } from "./send";
import { RETRY_AFTER_OUR_FAULT_MS, RETRY_AFTER_RUNTIME_FAULT_MS } from "./timing";
import { type RetryPolicy, retryPolicy, type Verdict, verdictOf } from "./verdict";

/** The service could not make the request. This uses up no attempt. */
interface OurFault {
  retryInMs: number;
}

/**
 * Makes an attempt and returns its result. Returns "deleted" when the subscription no longer exists, and "interrupted"
 * when the socket of a listener is lost. Never throws.
 */
export async function makeAttempt(
  deps: Deps,
  delivery: ClaimedDelivery,
  decrypted: Decrypt,
): Promise<AttemptResult | OurFault | "deleted" | "interrupted"> {
  if (delivery.isDeleted === 1) return "deleted";
  const startedAt = deps.now();
  const policy = retryPolicy(delivery.options?.retry);
  const outcome = await sendUnlessStopped(deps, delivery, decrypted, policy, startedAt);
  if (outcome === "interrupted" || "retryInMs" in outcome) return outcome;
  const completedAt = deps.now();
  const times = { startedAt, completedAt };
  const verdict = verdictOf(policy, delivery.attemptCount, outcome, times, Math.random());
  const isFailedProbe = isProbe(delivery) && outcome.status === "failed";
  const { nextDueAt, error, isSlow, isGone, heldUntil } = isFailedProbe ? heldAgain(delivery, verdict) : verdict;
  if (outcome.status === "failed" || deps.config.logAttempts === "all") {
    log(outcome.status === "success" ? "info" : "warn", "attempt", {
      ...namesOf(delivery),
      outcome: outcome.status,
      responseCode: outcome.responseCode,
      reason: error,
      ms: completedAt - startedAt,
    });
  }
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
    error,
    startedAt,
    completedAt,
    latencyMs: outcome.wasAnswered || outcome.timedOut ? completedAt - startedAt : null,
    nextDueAt,
    nextAttemptId: nextDueAt === null ? null : newIdAt(isFailedProbe ? completedAt : nextDueAt),
    probe: isFailedProbe ? 1 : 0,
    slow: isSlow ? 1 : 0,
    heldUntil,
    gone: isGone ? 1 : 0,
    mayBeGone: policy.onGone === "disable" ? 1 : 0,
  };
}

/** Whether the delivery probes a disabled subscription, to see whether it works again. */
const isProbe = (delivery: ClaimedDelivery) => isForPauses(delivery) && holdsWhenOff(delivery);

/** After a failed probe the delivery keeps its place among the held ones. */
const heldAgain = ({ dueAt }: ClaimedDelivery, { error }: Verdict): Verdict => ({
  error,
  nextDueAt: dueAt,
  isSlow: false,
  isGone: false,
  heldUntil: null,
});

/** The log fields that connect the attempts of a delivery with each other and with the publish request. */
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

async function headersFor(decrypted: Decrypt, delivery: ClaimedDelivery): Promise<Headers> {
  if (delivery.headersSealed === null) return {};
  return JSON.parse(await decrypted(headersOwner(delivery.subscriptionId), delivery.headersSealed)) as Headers;
}

/**
 * Sends unless the subscription is paused or its URL may not be called. Manual retries and tests are sent even during a
 * pause.
 */
async function sendUnlessStopped(
  deps: Deps,
  delivery: ClaimedDelivery,
  decrypted: Decrypt,
  { schedule }: RetryPolicy,
  nowMs: number,
): Promise<Outcome | OurFault | "interrupted"> {
  if (delivery.attemptCount > schedule.length + 1) return failure(EXHAUSTED);
  if (isForPauses(delivery) && delivery.enabled === 0 && !isProbe(delivery)) return failure(PAUSED);
  const { url, listenerOf } = delivery;
  const refusal = listenerOf === null ? refuseTarget(url, deps.config.webhookEgress, deps.ownHosts) : null;
  if (refusal) return failure(blocked(refusal));
  try {
    const keys = await keysInForce(decrypted, delivery, nowMs);
    const { id: deliveryId, eventType, kind, options, replayId, orderKey, sequence } = delivery;
    const correlationId = correlationOf(kind, delivery.correlationId);
    const headers = await headersFor(decrypted, delivery);
    const sent = bodyOf(delivery, options, deps.config.publicUrl);
    const profile = options?.signatureProfile;
    const order = { orderKey, sequence };
    const outbound = { deliveryId, url, eventType, ...sent, headers, keys, profile, correlationId, replayId, ...order };
    if (listenerOf === null) return await send(outbound, nowMs);
    const { attemptId, subscriptionId: listenerId } = delivery;
    return await sendToListener(deps, { attemptId, listenerId }, outbound, nowMs);
  } catch (error) {
    const isRuntimeFault = error instanceof RuntimeFault;
    // The local runtime reports an unknown host as a fault of its own. Cloudflare answers with status 530.
    if (isRuntimeFault && deps.config.webhookEgress === "any") return failure(CONNECTION_FAILED);
    log("error", "delivery could not be sent", { ...namesOf(delivery), ...describeError(error) });
    return { retryInMs: isRuntimeFault ? RETRY_AFTER_RUNTIME_FAULT_MS : RETRY_AFTER_OUR_FAULT_MS };
  }
}
