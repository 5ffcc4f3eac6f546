/** Makes one attempt: checks the subscription, decrypts its secret, sends, and returns the result to record. */
import { newIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { describeError, type LogFields, log } from "../../base/log/log";
import { hopHeaderTo } from "../hops/hops";
import { type Headers, headersOwner } from "../options/header-options";
import { keyOf } from "../plane/enqueue";
import { holdsWhenOff, isForPauses } from "../plane/lane";
import { isLogout } from "../plane/logout-format";
import { blocked, CONNECTION_FAILED, EXHAUSTED, PAUSED } from "../plane/reasons";
import { RETRY_AFTER_OUR_FAULT_MS, RETRY_AFTER_RUNTIME_FAULT_MS } from "../plane/timing";
import { type Decrypt, keysInForce } from "../signing/keys";
import type { ClaimedDelivery } from "./claim-store";
import { bodyOf } from "./envelope";
import { sendToListener } from "./listener";
import { logoutBody } from "./logout-token";
import type { AttemptResult } from "./record-store";
import { correlationOf, failure, type NotSent, RuntimeFault, type SendOutcome, send } from "./send";
import { refuseTarget } from "./target";
import { type RetryPolicy, retryPolicy, verdictOf } from "./verdict";

/** Makes an attempt and returns its result, to be recorded. A deleted subscription is sent nothing. Never throws. */
export async function makeAttempt(
  deps: Deps,
  delivery: ClaimedDelivery,
  decrypted: Decrypt,
): Promise<AttemptResult | NotSent> {
  if (delivery.isDeleted === 1) return { retryInMs: null };
  const startedAt = deps.now();
  const policy = retryPolicy(delivery.options?.retry);
  const outcome = await sendUnlessStopped(deps, delivery, decrypted, policy, startedAt);
  if ("retryInMs" in outcome) return outcome;
  const completedAt = deps.now();
  const times = { startedAt, completedAt };
  const verdict = verdictOf(policy, delivery.attemptCount, outcome, times, Math.random());
  const isFailedProbe = isProbe(delivery) && outcome.status === "failed";
  // After a failed probe the delivery keeps its place among the held ones.
  const held = { nextDueAt: delivery.dueAt, isSlow: false, isGone: false, cooldownUntil: null };
  const followed = isFailedProbe ? { ...held, error: verdict.error } : verdict;
  const { nextDueAt } = followed;
  const { status, responseCode, responseBody, responseHeaders } = outcome;
  if (status === "failed" || deps.config.logAttempts === "all") {
    const found = { outcome: status, responseCode, reason: followed.error, ms: completedAt - startedAt };
    log(status === "success" ? "info" : "warn", "attempt", { ...namesOf(delivery), ...found });
  }
  const { attemptId, kind } = delivery;
  return {
    ...keyOf(delivery),
    attemptId,
    kind,
    status,
    responseCode,
    responseBody,
    responseHeaders,
    ...times,
    ...followed,
    nextAttemptId: nextDueAt === null ? null : newIdAt(isFailedProbe ? completedAt : nextDueAt),
    isFailedProbe,
    mayBeGone: policy.onGone === "disable",
  };
}

/** Whether the delivery probes a disabled subscription, to see whether it works again. */
const isProbe = (delivery: ClaimedDelivery) => isForPauses(delivery) && holdsWhenOff(delivery);

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
): Promise<SendOutcome | NotSent> {
  if (delivery.attemptCount > schedule.length + 1) return failure(EXHAUSTED);
  if (isForPauses(delivery) && delivery.enabled === 0 && !isProbe(delivery)) return failure(PAUSED);
  const { url, listenerOf } = delivery;
  const refusal = listenerOf === null ? refuseTarget(url, deps.config.webhookEgress, deps.ownHosts) : null;
  if (refusal) return failure(blocked(refusal));
  try {
    const sent = isLogout(delivery.options)
      ? await logoutBody(deps, delivery, nowMs)
      : bodyOf(delivery, delivery.options, deps.config.publicUrl);
    const outbound = {
      ...delivery,
      deliveryId: delivery.id,
      keys: await keysInForce(decrypted, delivery, nowMs),
      headers: await headersFor(decrypted, delivery),
      profile: delivery.options?.signatureProfile,
      correlationId: correlationOf(delivery.kind, delivery.correlationId),
      ...sent,
      hopHeader: await hopHeaderTo(deps.keys, url, delivery.hops, sent.body),
    };
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

/** For an attempt that throws, which only a bug of ours can cause: the sweep makes it again. */
export function noResult(error: unknown): null {
  log("error", "delivery not sent", describeError(error));
  return null;
}
