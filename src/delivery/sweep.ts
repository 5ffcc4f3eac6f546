/** The safety net under the queue: what is overdue is queued again, and what a dead consumer left is ended and tried again. */
import { newIdAt } from "../db/ids";
import type { Deps } from "../deps";
import { log } from "../log";
import { enqueueDue } from "./enqueue";
import { MAX_SENDS_OF_SLOW } from "./send-load";
import {
  endBacklogs,
  type Interruption,
  interruptAttempts,
  nextDueAt,
  type OverdueDelivery,
  readBacklogHeads,
  readOverdue,
  replanDeliveries,
} from "./sweep-store";
import { LEASE_MS, QUEUE_GRACE_MS, RESWEEP_AFTER_MS } from "./timing";
import { inTurns } from "./wave";

const PAGE_ROWS = 1_000;
/** Bounds one run; the next comes a few seconds later. */
const MAX_PAGES = 10;
/** How many deliveries of a subscription that has caught up are under way from its own queue. */
const BACKLOG_SENDS = 50;
/** Doubles with each interruption, up to an hour: a delivery that kills its consumer must not do so all the time. */
const FIRST_INTERRUPTION_WAIT_MS = 1_000;
const LONGEST_INTERRUPTION_WAIT_MS = 3_600_000;

/** When a delivery was last swept, by id; remembered by whoever runs the sweep. Unix ms. */
export type SweptAt = Map<string, number>;

/** Sweeps one shard. Returns when the next sweep has something to do, Unix ms; null when nothing is owed. */
export async function sweepShard(deps: Deps, shard: number, sweptAt: SweptAt = new Map()): Promise<number | null> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  for (const [id, atMs] of sweptAt) if (nowMs - atMs >= RESWEEP_AFTER_MS) sweptAt.delete(id);
  const messagesBefore = await queuedSince(deps, nowMs);
  const leaseEnds: number[] = [];
  let after = { dueAt: 0, id: "" };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readOverdue(db, { dueBefore: messagesBefore, after, limit: PAGE_ROWS }, nowMs);
    leaseEnds.push(...(await settle(deps, shard, page, sweptAt)));
    const last = page.at(-1);
    if (!last || page.length < PAGE_ROWS) break;
    after = last;
  }
  const heads = await readBacklogHeads(
    db,
    { perSubscription: BACKLOG_SENDS, perSlowSubscription: MAX_SENDS_OF_SLOW },
    nowMs,
  );
  leaseEnds.push(...(await settle(deps, shard, heads, sweptAt)));
  await endBacklogs(db);
  const dueAt = await nextDueAt(db, nowMs);
  const moments = [...leaseEnds, ...(dueAt === null ? [] : [dueAt + QUEUE_GRACE_MS])];
  return moments.length === 0 ? null : Math.min(...moments);
}

/** Lets the queue of one subscription go on, as soon as some of its deliveries have ended. */
export async function feedBacklog(deps: Deps, shard: number, subscriptionId: string): Promise<void> {
  const limits = { perSubscription: BACKLOG_SENDS, perSlowSubscription: MAX_SENDS_OF_SLOW, subscriptionId };
  const heads = await readBacklogHeads(deps.shards.db(shard), limits, deps.now());
  await enqueueDue(
    deps,
    shard,
    heads.filter(({ attemptStatus }) => attemptStatus === null),
    "slow",
  );
}

/**
 * Deliveries that were due before this moment and are still there have no message. A queue that says how old its oldest message is
 * tells exactly; otherwise a message is taken for lost after the grace.
 */
async function queuedSince({ deliveryQueue, slowDeliveryQueue }: Deps, nowMs: number): Promise<number> {
  const latest = nowMs - QUEUE_GRACE_MS;
  const oldest = await Promise.all([deliveryQueue, slowDeliveryQueue].map(oldestMessageAt));
  return Math.min(latest, ...oldest.map((timeMs) => timeMs ?? latest));
}

/** Null when the queue is empty or does not say. */
async function oldestMessageAt(queue: Queue<unknown>): Promise<number | null> {
  try {
    const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
    return backlogCount > 0 ? (oldestMessageTimestamp?.getTime() ?? null) : null;
  } catch {
    // Not every runtime has it.
    return null;
  }
}

/** Does what each overdue delivery needs. Returns when the leases end of those that are under way. */
async function settle(
  deps: Deps,
  shard: number,
  overdue: readonly OverdueDelivery[],
  sweptAt: SweptAt,
): Promise<number[]> {
  const nowMs = deps.now();
  const leaseEndOf = ({ claimedAt }: OverdueDelivery) => (claimedAt ?? nowMs) + LEASE_MS;
  const {
    running = [],
    dead = [],
    ended = [],
    unclaimed = [],
  } = Object.groupBy(overdue, (delivery) => {
    if (delivery.attemptStatus === null) return "unclaimed";
    if (delivery.attemptStatus !== "pending") return "ended";
    return leaseEndOf(delivery) > nowMs ? "running" : "dead";
  });
  if (dead.length > 0) await interrupt(deps, shard, dead);
  if (ended.length > 0) await replan(deps, shard, ended);
  const lost = unclaimed.filter(({ id }) => !sweptAt.has(id));
  if (lost.length > 0) {
    await enqueueDue(deps, shard, inTurns(lost));
    for (const { id } of lost) sweptAt.set(id, nowMs);
    log("warn", "deliveries swept", { shard, count: lost.length });
  }
  return running.map(leaseEndOf);
}

async function interrupt(deps: Deps, shard: number, dead: readonly OverdueDelivery[]): Promise<void> {
  const nowMs = deps.now();
  const interruptions = dead.flatMap((delivery): (Interruption & OverdueDelivery)[] => {
    if (delivery.attemptId === null) return [];
    const waitMs = Math.min(FIRST_INTERRUPTION_WAIT_MS * 2 ** delivery.interruptions, LONGEST_INTERRUPTION_WAIT_MS);
    const nextDueAt = delivery.interruptions === 0 ? nowMs : nowMs + waitMs;
    const { attemptId, id: deliveryId } = delivery;
    return [{ ...delivery, deliveryId, attemptId, nextDueAt, nextAttemptId: newIdAt(nextDueAt) }];
  });
  const correlationIds = await interruptAttempts(deps.shards.db(shard), interruptions, nowMs);
  for (const { tenantId, eventId, subscriptionId, deliveryId, attempts } of interruptions) {
    const correlationId = correlationIds.get(eventId);
    const names = { tenantId, eventId, correlationId, webhookId: subscriptionId, deliveryId, attempt: attempts + 1 };
    log("warn", "attempt", { ...names, outcome: "failed", reason: "interrupted" });
  }
  const due = interruptions.filter(({ queue, nextDueAt }) => queue === "" && nextDueAt <= nowMs);
  await enqueueDue(
    deps,
    shard,
    due.map((delivery) => ({ ...delivery, dueAt: delivery.nextDueAt })),
  );
}

/** Not to be expected: an attempt has ended, yet its delivery still waits for it. */
async function replan(deps: Deps, shard: number, ended: readonly OverdueDelivery[]): Promise<void> {
  log("error", "deliveries with an attempt that has ended", { shard, count: ended.length, deliveryId: ended[0]?.id });
  const plans = ended.map(({ queue, dueAt, id: deliveryId, attemptStatus }) => ({
    queue,
    dueAt,
    deliveryId,
    succeeded: attemptStatus === "success",
    nextAttemptId: newIdAt(deps.now()),
  }));
  await replanDeliveries(deps.shards.db(shard), plans);
}
