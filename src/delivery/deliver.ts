/** A batch of deliveries: claim, send, record. The row in D1 is the truth, so a duplicate or late message finds nothing to do. */
import { decrypt } from "../crypto/encryption";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { describeError, type LogFields, log } from "../log";
import { secretOwner } from "../subscriptions/secret";
import { refuseTarget } from "../subscriptions/target";
import { enqueueDeferred, enqueueDeliveries, enqueueRetries } from "./enqueue";
import { enterLane, hangs, type Lane, saturated } from "./load";
import { runPool } from "./pool";
import { blocked, PAUSED } from "./reasons";
import { createRecorder, type Recorder } from "./recorder";
import { retryWaitMs } from "./retry";
import { correlationOf, failure, type Outcome, send } from "./send";
import { type AttemptResult, type ClaimedDelivery, claimDeliveries, markSlow, releaseDeliveries } from "./store";
import { QUEUE_GRACE_MS } from "./timing";

/** A send that takes longer puts its subscription into the slow lane. */
const SLOW_SEND_MS = 5_000;
const WATCH_EVERY_MS = 500;
/** No send starts later after its claim began: its timeout and its record must end before the lease does. */
const START_WITHIN_MS = 6_000;
const RELEASE_TRIES = 3;
const RELEASE_AGAIN_MS = 500;
/** In the slow lane what found no place comes again after this time, not at once. */
const SLOW_AGAIN_SECONDS = 1;
const MARK_AGAIN_MS = 30_000;
/** A signing secret that can't be opened needs an operator who puts a key back: no hurry, and no attempt used up. */
const PREPARE_AGAIN_MS = 5 * 60_000;
/** Bounds the memory. */
const MAX_MARKS = 10_000;
const markedUntil = new Map<string, number>();

/** Delivers what is due of `deliveryIds`. Throws only when the claim fails: then nothing has happened and the batch may come again. */
export async function deliver(deps: Deps, lane: Lane, deliveryIds: readonly string[]): Promise<void> {
  const lease = newId();
  const claimedMs = deps.now();
  const claims = [...new Set(deliveryIds)].map((deliveryId) => ({ deliveryId, attemptId: newId() }));
  const { claimed, slow, deferred } = await claimDeliveries(
    deps,
    { lane, lease, saturated: saturated(claimedMs) },
    claims,
    claimedMs,
  );
  const passedOn = slow.map((id) => ({ id, slow: 1 as const }));
  // Lost nudges must not hold up what is claimed: the sweep sends them again.
  if (passedOn.length > 0) deps.background("pass on to the slow lane", enqueueDeliveries(deps, passedOn));
  if (deferred.length > 0) deps.background("put off", enqueueDeferred(deps, deferred));
  if (claimed.length === 0) return;
  const leave = new Map(claimed.map(({ deliveryId }) => [deliveryId, enterLane(lane, deps.now())]));
  const recorder = createRecorder(deps, lease, (results) => queueRetries(deps, results));
  const limits = { now: deps.now, startUntilMs: claimedMs + START_WITHIN_MS };
  const stopWatching = watchForHanging(deps, claimed);
  const { notStarted, done } = await runPool(lane, claimed, limits, async (delivery) => {
    await attempt(deps, lease, delivery, recorder);
    leave.get(delivery.deliveryId)?.();
  });
  for (const { deliveryId } of notStarted) leave.get(deliveryId)?.();
  if (notStarted.length > 0) deps.background("give back", giveBack(deps, lane, lease, notStarted));
  await done;
  stopWatching();
  await recorder.close();
}

/**
 * Does not wait for a timeout to move a subscription into the slow lane: what is published meanwhile would queue up behind
 * it. Call what it returns when the batch is done.
 */
function watchForHanging(deps: Deps, deliveries: readonly ClaimedDelivery[]): () => void {
  const subscriptionIds = new Set(deliveries.map(({ subscriptionId }) => subscriptionId));
  const timer = setInterval(() => {
    for (const id of subscriptionIds) if (hangs(id, deps.now())) noteSlow(deps, id);
  }, WATCH_EVERY_MS);
  return () => clearInterval(timer);
}

function noteSlow(deps: Deps, subscriptionId: string): void {
  const nowMs = deps.now();
  if (nowMs < (markedUntil.get(subscriptionId) ?? 0)) return;
  if (markedUntil.size >= MAX_MARKS) markedUntil.clear();
  markedUntil.set(subscriptionId, nowMs + MARK_AGAIN_MS);
  deps.background("mark slow", markSlow(deps, subscriptionId, nowMs));
}

async function attempt(deps: Deps, lease: string, delivery: ClaimedDelivery, recorder: Recorder): Promise<void> {
  const startedMs = deps.now();
  const outcome = await sendUnlessStopped(deps, delivery, startedMs);
  if (outcome === "not prepared") {
    const dueAt = startedMs + PREPARE_AGAIN_MS;
    deps.background("put off", releaseDeliveries(deps, lease, [delivery], dueAt, QUEUE_GRACE_MS));
    return;
  }
  const completedAt = deps.now();
  const waitMs = outcome.status === "success" ? null : retryWaitMs(delivery.attemptCount, Math.random());
  const tookMs = completedAt - startedMs;
  log(outcome.status === "success" ? "info" : "warn", "attempt", {
    ...namesOf(delivery),
    outcome: outcome.status,
    responseCode: outcome.responseCode,
    reason: outcome.error,
    ms: tookMs,
  });
  recorder.add({
    deliveryId: delivery.deliveryId,
    attemptId: delivery.attemptId,
    subscriptionId: delivery.subscriptionId,
    ...outcome,
    startedAt: startedMs,
    completedAt,
    nextDueAt: waitMs === null ? null : completedAt + waitMs,
    slow: tookMs >= SLOW_SEND_MS ? 1 : 0,
  });
}

/** From its publish call to each attempt, a delivery is found in the log by these. */
function namesOf(delivery: ClaimedDelivery): LogFields {
  return {
    tenantId: delivery.tenantId,
    eventId: delivery.eventId,
    correlationId: delivery.correlationId,
    webhookId: delivery.subscriptionId,
    deliveryId: delivery.deliveryId,
    attempt: delivery.attemptCount,
  };
}

/** Automatic attempts stop at a pause; manual retries and tests are sent all the same. "not prepared" is a fault of ours. */
async function sendUnlessStopped(
  deps: Deps,
  delivery: ClaimedDelivery,
  nowMs: number,
): Promise<Outcome | "not prepared"> {
  if (delivery.kind === "event" && !delivery.enabled) return failure(PAUSED);
  const refusal = refuseTarget(delivery.url, deps.config.webhookEgress);
  if (refusal) return failure(blocked(refusal));
  try {
    const secret = await decrypt(deps.keys, secretOwner(delivery.subscriptionId), delivery.secretSealed);
    const correlationId = correlationOf(delivery.kind, delivery.correlationId);
    return await send({ ...delivery, secret, correlationId }, nowMs);
  } catch (error) {
    log("error", "delivery could not be prepared", { ...namesOf(delivery), ...describeError(error) });
    return "not prepared";
  }
}

async function queueRetries(deps: Deps, results: readonly AttemptResult[]): Promise<void> {
  const due = results.flatMap(({ deliveryId, nextDueAt }) =>
    nextDueAt === null ? [] : [{ id: deliveryId, dueAt: nextDueAt }],
  );
  if (due.length > 0) await enqueueRetries(deps, due);
}

/** What the pool could not start: back to its lane, but for a subscriber that hangs to the slow one. */
async function giveBack(deps: Deps, lane: Lane, lease: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  await release(deps, lease, deliveries);
  const nowMs = deps.now();
  const slow = (subscriptionId: string): 0 | 1 => (lane === "slow" || hangs(subscriptionId, nowMs) ? 1 : 0);
  const nudges = deliveries.map(({ deliveryId, subscriptionId }) => ({ id: deliveryId, slow: slow(subscriptionId) }));
  await enqueueDeliveries(deps, nudges, lane === "slow" ? SLOW_AGAIN_SECONDS : 0);
}

/** Tried again when D1 fails: else the lease would run out as an interruption of a send that never began. */
async function release(deps: Deps, lease: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await releaseDeliveries(deps, lease, deliveries, deps.now(), QUEUE_GRACE_MS);
    } catch (error) {
      if (tries === RELEASE_TRIES) throw error;
      await scheduler.wait(RELEASE_AGAIN_MS * tries);
    }
  }
}
