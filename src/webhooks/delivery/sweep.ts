/**
 * The safety net under the queue: overdue deliveries are queued again, and attempts whose consumer died are ended and
 * repeated.
 */
import type { Deps } from "../../base/deps";
import { LONGEST_QUEUE_WAIT_MS, QUEUE_GRACE_MS, RESWEEP_AFTER_MS } from "../plane/timing";
import { afterLeases, handleOverdue, type SweptAt } from "./overdue";
import { nextMoments, readOverdue } from "./overdue-store";

const PAGE_ROWS = 1_000;
/** Limits one run. The next one follows a few seconds later. */
const MAX_PAGES = 10;

/**
 * Sweeps the main outbox queue of one shard. Returns when the next sweep will have something to do (Unix ms); null when
 * nothing is open. Throws when D1 is down.
 */
export async function sweepShard(deps: Deps, shard: number, sweptAt: SweptAt = new Map()): Promise<number | null> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const { lostBefore, goneBefore } = await readQueues(deps, shard, nowMs);
  for (const [id, atMs] of sweptAt) if (nowMs - atMs >= RESWEEP_AFTER_MS || atMs <= goneBefore) sweptAt.delete(id);
  let lastSweptAt = 0;
  const leaseEnds: number[] = [];
  let after = { dueAt: 0, id: "" };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readOverdue(db, after, PAGE_ROWS, nowMs);
    // The age of messages says nothing about a delivery that is claimed, because its consumer may have died, and
    // nothing about one that has no message.
    const overdue = page.filter(
      ({ attemptStatus, dueAt, isTimed }) => attemptStatus !== null || isTimed === 1 || dueAt <= lostBefore,
    );
    leaseEnds.push(...(await handleOverdue(deps, shard, overdue, sweptAt)));
    for (const { id } of overdue) lastSweptAt = Math.max(lastSweptAt, sweptAt.get(id) ?? 0);
    const last = page.at(-1);
    if (!last || page.length < PAGE_ROWS) break;
    after = last;
  }
  const { dueAt, cooldownEndsAt } = await nextMoments(db, nowMs);
  const mayBeLostAt = lastSweptAt + QUEUE_GRACE_MS;
  const found = [
    afterLeases(leaseEnds),
    dueAt === null ? null : dueAt + QUEUE_GRACE_MS,
    cooldownEndsAt,
    mayBeLostAt > nowMs ? mayBeLostAt : null,
  ];
  const moments = found.filter((timeMs) => timeMs !== null);
  return moments.length === 0 ? null : Math.min(...moments);
}

/** What the queues of a database tell about messages, in Unix ms. */
interface Queues {
  /**
   * An unclaimed delivery that was due before it has lost its message. It is the time of the oldest message, if the
   * queues report that, but between `LONGEST_QUEUE_WAIT_MS` and `QUEUE_GRACE_MS` ago.
   */
  lostBefore: number;
  /**
   * No queue has a message of a sweep before it: each was handled, or lost with the queue when a local runtime was
   * killed. The oldest message is that much newer, because sending takes time and clocks differ. 0 unless both queues
   * report their oldest messages.
   */
  goneBefore: number;
}

async function readQueues({ deliveryQueues }: Deps, shard: number, nowMs: number): Promise<Queues> {
  const latest = nowMs - QUEUE_GRACE_MS;
  const { fast, slow } = deliveryQueues.of(shard);
  const oldest = await Promise.all([fast, slow].map(oldestMessageAt));
  return {
    lostBefore: Math.max(nowMs - LONGEST_QUEUE_WAIT_MS, Math.min(latest, ...oldest.map((timeMs) => timeMs ?? latest))),
    goneBefore: Math.min(latest, ...oldest.map((timeMs) => (timeMs === null ? 0 : timeMs - QUEUE_GRACE_MS))),
  };
}

/** Returns when the oldest message was sent (Unix ms), `Infinity` for an empty queue; null if it is not reported. */
async function oldestMessageAt(queue: Queue<unknown>): Promise<number | null> {
  try {
    const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
    return backlogCount > 0 ? (oldestMessageTimestamp?.getTime() ?? null) : Number.POSITIVE_INFINITY;
  } catch {
    // Not every runtime has queue metrics.
    return null;
  }
}
