/** What becomes of a simulated attempt. */
import { newIdAt } from "../../../src/base/db/ids";
import type { ClaimedDelivery } from "../../../src/webhooks/delivery/claim-store";
import type { AttemptResult } from "../../../src/webhooks/delivery/record-store";
import { retryPolicy, verdictOf } from "../../../src/webhooks/delivery/verdict";
import * as traffic from "./traffic";

/** The result of sending a delivery at `startedAt`, Unix ms: some receivers are dead, and some attempts fail. */
export function resultOf(delivery: ClaimedDelivery, startedAt: number): AttemptResult {
  const isFailed = traffic.isDead(delivery.subscriptionId) || Math.random() < traffic.FAILING_SHARE;
  const completedAt = startedAt + Math.round(traffic.MIN_ANSWER_MS + exponential(traffic.MEAN_EXTRA_ANSWER_MS));
  const status = isFailed ? "failed" : "success";
  const outcome = {
    status,
    responseCode: isFailed ? 500 : 200,
    responseBody: "ok",
    responseHeaders: null,
    error: isFailed ? "HTTP 500" : null,
    retryAfter: null,
    asksToAbort: false,
  } as const;
  const policy = retryPolicy(undefined);
  const verdict = verdictOf(policy, delivery.attemptCount, outcome, { startedAt, completedAt }, Math.random());
  return {
    queue: delivery.queue,
    dueAt: delivery.dueAt,
    id: delivery.id,
    subscriptionId: delivery.subscriptionId,
    bytes: delivery.bytes,
    attemptId: delivery.attemptId,
    kind: delivery.kind,
    status,
    responseCode: outcome.responseCode,
    responseBody: outcome.responseBody,
    responseHeaders: outcome.responseHeaders,
    ...verdict,
    startedAt,
    completedAt,
    nextAttemptId: verdict.nextDueAt === null ? null : newIdAt(verdict.nextDueAt),
    isFailedProbe: false,
    mayBeGone: false,
  };
}

/** A random number with this mean. */
export const exponential = (mean: number): number => -mean * Math.log(1 - Math.random());
