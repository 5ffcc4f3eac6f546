/**
 * What overdue deliveries need: those that nobody has claimed are queued again, and attempts whose consumer died are
 * ended and repeated.
 */
import { repeatable } from "../../base/db/faults";
import { newIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import { enqueueDue } from "../plane/enqueue";
import { isInMain } from "../plane/outbox-store";
import { INTERRUPTED } from "../plane/reasons";
import {
  CLAIM_LEASE_MS,
  FIRST_INTERRUPTION_WAIT_MS,
  INTERRUPTIONS_WITHOUT_WAIT,
  LONGEST_INTERRUPTION_WAIT_MS,
  MIN_SWEEP_INTERVAL_MS,
  RESWEEP_AFTER_MS,
  RESWEEP_BACKLOG_AFTER_MS,
} from "../plane/timing";
import { type OverdueDelivery, replanDeliveries } from "./overdue-store";
import { recordAttempts } from "./record-store";
import { roundRobin } from "./selection";
import { failure } from "./send";

/** When each delivery was last swept, by id, in Unix ms. The caller keeps it from one sweep to the next. */
export type SweptAt = Map<string, number>;

const isClaimed = ({ attemptStatus, attemptEventId, eventId }: OverdueDelivery): boolean =>
  attemptStatus === "pending" && attemptEventId === eventId;

const leaseEndOf = ({ claimedAt }: OverdueDelivery): number => (claimedAt ?? 0) + CLAIM_LEASE_MS;

/** Whether somebody has claimed the delivery and may still send it. */
export const isRunning = (delivery: OverdueDelivery, nowMs: number): boolean =>
  isClaimed(delivery) && leaseEndOf(delivery) > nowMs;

/** Does what each overdue delivery needs. Returns when the leases of those in progress end, in Unix ms. */
export async function handleOverdue(
  deps: Deps,
  shard: number,
  overdue: readonly OverdueDelivery[],
  sweptAt: SweptAt,
): Promise<number[]> {
  const nowMs = deps.now();
  const {
    running = [],
    dead = [],
    ended = [],
    unclaimed = [],
  } = Object.groupBy(overdue, (delivery) => {
    if (delivery.attemptStatus === null) return "unclaimed";
    if (!isClaimed(delivery)) return "ended";
    return isRunning(delivery, nowMs) ? "running" : "dead";
  });
  if (dead.length > 0) await interrupt(deps, shard, dead);
  if (ended.length > 0) await replan(deps, shard, ended);
  const sweepAgainMs = (key: OverdueDelivery) => (isInMain(key) ? RESWEEP_AFTER_MS : RESWEEP_BACKLOG_AFTER_MS);
  const lost = unclaimed.filter((delivery) => nowMs - (sweptAt.get(delivery.id) ?? 0) >= sweepAgainMs(delivery));
  if (lost.length > 0) {
    await enqueueDue(deps, shard, roundRobin(lost));
    for (const { id } of lost) {
      // The newest ones last.
      sweptAt.delete(id);
      sweptAt.set(id, nowMs);
    }
    log("warn", "deliveries swept", { shard, count: lost.length });
  }
  return running.map(leaseEndOf);
}

/**
 * When to sweep for leases that end at these times (Unix ms), null for none: when the last of those has ended that end
 * soon after the first. A sweep at the first end could not be followed by another one so soon.
 */
export function afterLeases(leaseEnds: readonly number[]): number | null {
  const first = Math.min(...leaseEnds);
  const soon = leaseEnds.filter((endMs) => endMs < first + MIN_SWEEP_INTERVAL_MS);
  return soon.length === 0 ? null : Math.max(...soon);
}

/** An interrupted attempt is recorded like a probe that failed, which uses up no attempt either. */
async function interrupt(deps: Deps, shard: number, dead: readonly OverdueDelivery[]): Promise<void> {
  const nowMs = deps.now();
  const interruptions = dead.map((delivery) => {
    const waitMs = interruptionWaitMs(delivery.interruptions);
    // In a lane it keeps its place.
    const nextDueAt = !isInMain(delivery) && waitMs === 0 ? delivery.dueAt : nowMs + waitMs;
    return {
      ...delivery,
      ...failure(INTERRUPTED),
      kind: "event" as const,
      isInterrupted: true,
      isFailedProbe: true,
      isSlow: false,
      cooldownUntil: null,
      isGone: false,
      mayBeGone: false,
      attemptId: delivery.attemptId ?? delivery.id,
      startedAt: delivery.claimedAt ?? nowMs,
      completedAt: nowMs,
      nextDueAt,
      nextAttemptId: newIdAt(nowMs + waitMs),
    };
  });
  await repeatable(() => recordAttempts(deps.shards.db(shard), null, interruptions));
  for (const { tenantId, eventId, correlationId, subscriptionId: webhookId, id: deliveryId, attempts } of dead) {
    const names = { tenantId, eventId, correlationId, webhookId, deliveryId };
    log("warn", "attempt", { ...names, attempt: attempts + 1, outcome: "failed", reason: INTERRUPTED });
  }
  const due = interruptions.flatMap(({ nextDueAt: dueAt, ...delivery }) =>
    isInMain(delivery) && dueAt <= nowMs ? [{ ...delivery, dueAt }] : [],
  );
  await enqueueDue(deps, shard, due);
}

/** Returns how long a delivery waits after an interruption, in ms; `earlier` is how many it had before. */
function interruptionWaitMs(earlier: number): number {
  if (earlier < INTERRUPTIONS_WITHOUT_WAIT) return 0;
  return Math.min(
    FIRST_INTERRUPTION_WAIT_MS * 2 ** (earlier - INTERRUPTIONS_WITHOUT_WAIT),
    LONGEST_INTERRUPTION_WAIT_MS,
  );
}

/**
 * Repairs deliveries that still plan an attempt that has ended, or that belongs to another event with the same delivery
 * id. Only a bug or two equal ids can cause this.
 */
async function replan(deps: Deps, shard: number, ended: readonly OverdueDelivery[]): Promise<void> {
  log("error", "deliveries with an attempt that has ended", { shard, count: ended.length, deliveryId: ended[0]?.id });
  const plans = ended.map((delivery) => ({ ...delivery, nextAttemptId: newIdAt(deps.now()) }));
  await replanDeliveries(deps.shards.db(shard), plans);
}
