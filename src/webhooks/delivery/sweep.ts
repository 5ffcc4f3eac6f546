/**
 * The safety net under the queue: overdue deliveries are queued again, and attempts whose consumer died are ended and
 * repeated.
 */
import type { Db } from "../../platform/db/client";
import { newIdAt } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { log } from "../../platform/log";
import { enqueueDue } from "./enqueue";
import { roundRobin } from "./selection";
import { MAX_SENDS_OF_SLOW } from "./send-load";
import {
  endBacklogs,
  type Interruption,
  interruptAttempts,
  isAnyDue,
  nextMoments,
  type OverdueDelivery,
  readBacklogHeads,
  readOverdue,
  replanDeliveries,
} from "./sweep-store";
import {
  LEASE_MS,
  LONGEST_MESSAGE_DELAY_MS,
  LONGEST_QUEUE_WAIT_MS,
  QUEUE_GRACE_MS,
  RESWEEP_AFTER_MS,
  RESWEEP_BACKLOG_AFTER_MS,
} from "./timing";

/** A message with a longer delay belongs to a retry under a subscription's own schedule. */
const LONG_DELAY_MS = 15_000;
const PAGE_ROWS = 1_000;
/** Limits one run. The next one follows a few seconds later. */
const MAX_PAGES = 10;
/** The most deliveries in progress from the backlog of a subscription that is not slow. */
const BACKLOG_SENDS = 50;
/** Bounds the memory. */
const MAX_FED = 10_000;
/** Deployments and crashes interrupt any delivery, so the first interruptions do not delay it. */
const INTERRUPTIONS_WITHOUT_WAIT = 4;
/**
 * The wait doubles with each further interruption, up to an hour, so that a delivery that kills its consumer does so
 * ever less often.
 */
const FIRST_INTERRUPTION_WAIT_MS = 2_000;
const LONGEST_INTERRUPTION_WAIT_MS = 3_600_000;

/** When each delivery was last swept, by id, in Unix ms. The caller keeps it from one sweep to the next. */
export type SweptAt = Map<string, number>;

/**
 * Sweeps one shard. Returns when the next sweep will have something to do (Unix ms); null when nothing is open. Throws
 * when D1 is down.
 */
export async function sweepShard(deps: Deps, shard: number, sweptAt: SweptAt = new Map()): Promise<number | null> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  for (const [id, atMs] of sweptAt) if (nowMs - atMs >= RESWEEP_AFTER_MS) sweptAt.delete(id);
  const lostBefore = await messagesLostBefore(deps, db, nowMs);
  const leaseEnds: number[] = [];
  let after = { dueAt: 0, id: "" };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readOverdue(db, { dueBefore: nowMs - QUEUE_GRACE_MS, after, limit: PAGE_ROWS }, nowMs);
    // The age of messages says nothing about a delivery that is claimed: its consumer may have died.
    const overdue = page.filter(({ attemptStatus, dueAt }) => attemptStatus !== null || dueAt <= lostBefore);
    leaseEnds.push(...(await handleOverdue(deps, shard, overdue, sweptAt)));
    const last = page.at(-1);
    if (!last || page.length < PAGE_ROWS) break;
    after = last;
  }
  const heads = await readBacklogHeads(
    db,
    { perSubscription: BACKLOG_SENDS, perSlowSubscription: MAX_SENDS_OF_SLOW },
    nowMs,
  );
  leaseEnds.push(...(await handleOverdue(deps, shard, heads, sweptAt)));
  await endBacklogs(db, nowMs);
  const { dueAt, holdEndsAt } = await nextMoments(db, nowMs);
  const moments = [
    ...leaseEnds,
    ...(dueAt === null ? [] : [dueAt + QUEUE_GRACE_MS]),
    ...(holdEndsAt === null ? [] : [holdEndsAt]),
  ];
  return moments.length === 0 ? null : Math.min(...moments);
}

/** When this isolate last queued a delivery of a backlog, by id, in Unix ms. */
const fedAt = new Map<string, number>();

/**
 * Queues the next deliveries of one backlog. Called when some of its deliveries have ended. Throws when D1 or the queue
 * is down.
 */
export async function feedBacklog(deps: Deps, shard: number, subscriptionId: string): Promise<void> {
  const limits = { perSubscription: BACKLOG_SENDS, perSlowSubscription: MAX_SENDS_OF_SLOW, subscriptionId };
  const nowMs = deps.now();
  const heads = await readBacklogHeads(deps.shards.db(shard), limits, nowMs);
  // Without the deliveries that an earlier result has queued; otherwise every result would queue the whole page again.
  const next = heads.filter(
    ({ attemptStatus, id }) => attemptStatus === null && nowMs - (fedAt.get(id) ?? 0) >= QUEUE_GRACE_MS,
  );
  if (fedAt.size >= MAX_FED) fedAt.clear();
  for (const { id } of next) fedAt.set(id, nowMs);
  await enqueueDue(deps, shard, next, "slow");
}

/**
 * Returns a time in Unix ms; an unclaimed delivery that was due before it has lost its message. It is the time of the
 * oldest message in the queues, if they report that, but between `LONGEST_QUEUE_WAIT_MS` and `QUEUE_GRACE_MS` ago.
 */
async function messagesLostBefore({ deliveryQueue, slowDeliveryQueue }: Deps, db: Db, nowMs: number): Promise<number> {
  const latest = nowMs - QUEUE_GRACE_MS;
  const oldest = await Promise.all([deliveryQueue, slowDeliveryQueue].map(oldestMessageAt));
  const lostBefore = Math.max(
    nowMs - LONGEST_QUEUE_WAIT_MS,
    Math.min(latest, ...oldest.map((timeMs) => timeMs ?? latest)),
  );
  // If a retry is due much later, the oldest message may be the message of that retry. Its age then says nothing about
  // other messages.
  const mayBeDelayed =
    lostBefore < latest && (await isAnyDue(db, nowMs + LONG_DELAY_MS, nowMs + LONGEST_MESSAGE_DELAY_MS));
  return mayBeDelayed ? latest : lostBefore;
}

/** Returns when the oldest message was sent (Unix ms); null when the queue is empty or does not report it. */
async function oldestMessageAt(queue: Queue<unknown>): Promise<number | null> {
  try {
    const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
    return backlogCount > 0 ? (oldestMessageTimestamp?.getTime() ?? null) : null;
  } catch {
    // Not every runtime has queue metrics.
    return null;
  }
}

/** Does what each overdue delivery needs. Returns when the leases of those in progress end, in Unix ms. */
async function handleOverdue(
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
  const sweepAgainMs = (queue: string) => (queue === "" ? RESWEEP_AFTER_MS : RESWEEP_BACKLOG_AFTER_MS);
  const lost = unclaimed.filter(({ queue, id }) => nowMs - (sweptAt.get(id) ?? 0) >= sweepAgainMs(queue));
  if (lost.length > 0) {
    const { main = [], backlog = [] } = Object.groupBy(roundRobin(lost), ({ queue }) =>
      queue === "" ? "main" : "backlog",
    );
    await enqueueDue(deps, shard, main);
    // If the subscription still hangs, these deliveries occupy their queue for a while.
    await enqueueDue(deps, shard, backlog, "slow");
    for (const { id } of lost) sweptAt.set(id, nowMs);
    log("warn", "deliveries swept", { shard, count: lost.length });
  }
  return running.map(leaseEndOf);
}

async function interrupt(deps: Deps, shard: number, dead: readonly OverdueDelivery[]): Promise<void> {
  const nowMs = deps.now();
  const interruptions = dead.flatMap((delivery): (Interruption & OverdueDelivery)[] => {
    if (delivery.attemptId === null) return [];
    const nextDueAt = nowMs + interruptionWaitMs(delivery.interruptions);
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

/** Returns how long a delivery waits after an interruption, in ms; `earlier` is how many it had before. */
function interruptionWaitMs(earlier: number): number {
  if (earlier < INTERRUPTIONS_WITHOUT_WAIT) return 0;
  return Math.min(
    FIRST_INTERRUPTION_WAIT_MS * 2 ** (earlier - INTERRUPTIONS_WITHOUT_WAIT),
    LONGEST_INTERRUPTION_WAIT_MS,
  );
}

/** Repairs deliveries that still plan an attempt that has ended. Only a bug can cause this. */
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
