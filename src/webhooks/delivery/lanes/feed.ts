/**
 * Feeding the lanes: the next deliveries of a lane are queued when earlier ones have ended, and by the sweep. A lane
 * that has caught up is opened at once.
 */
import { firstIdAt, timeOfId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import type { OutboxKey } from "../../../base/messages";
import { enqueueLater } from "../../plane/enqueue";
import { QUEUE_GRACE_MS } from "../../plane/timing";
import { memory } from "../isolate-memory";
import { afterLeases, handleOverdue, type SweptAt } from "../overdue";
import { advanceLanes, endEmptyLanes, readLaneEnds } from "./feed-store";
import { LEAST_WIDTH, widthOf } from "./width";

/** How many lanes one read of the sweep covers, and how many reads a sweep makes. The next sweep begins elsewhere. */
const LANES_PER_PAGE = 250;
const MAX_PAGES = 4;

/**
 * Queues the next deliveries of some lanes, or opens those that have caught up. Called when some of their deliveries
 * have ended. Throws when D1 or the queue is down.
 */
export async function feedLanes(deps: Deps, shard: number, subscriptionIds: readonly string[]): Promise<void> {
  const nowMs = deps.now();
  const lanes = subscriptionIds.map((id) => ({ id, width: widthOf(id) }));
  const { heads, moved } = await advanceLanes(deps.shards.db(shard), { lanes }, nowMs);
  // Without the deliveries that an earlier result has queued; otherwise every result would queue the whole page again.
  const next = heads.filter(
    ({ attemptStatus, id }) => attemptStatus === null && nowMs - (memory.fedAtMs.get(id) ?? 0) >= QUEUE_GRACE_MS,
  );
  for (const { id } of next) memory.fedAtMs.set(id, nowMs);
  await queue(deps, shard, [...moved, ...next]);
}

/**
 * Feeds the lanes of a shard, from a random one on, and opens those that have caught up. Returns when to
 * sweep for what is in progress in them (Unix ms); null for nothing. Throws when D1 or the queue is down.
 */
export async function sweepLanes(deps: Deps, shard: number, sweptAt: SweptAt = new Map()): Promise<number | null> {
  const db = deps.shards.db(shard);
  const ends = await readLaneEnds(db);
  const startMs = ends ? timeOfId(ends.first) + Math.random() * (timeOfId(ends.last) - timeOfId(ends.first)) : 0;
  const start = firstIdAt(Math.floor(startMs));
  const leaseEnds: number[] = [];
  let after = start;
  let isSecondHalf = false;
  for (let pages = 0; ends && pages < MAX_PAGES; pages += 1) {
    const lanes = { after, limit: LANES_PER_PAGE, width: LEAST_WIDTH };
    const { heads, moved, count, last } = await advanceLanes(db, lanes, deps.now());
    await queue(deps, shard, moved);
    leaseEnds.push(...(await handleOverdue(deps, shard, heads, sweptAt)));
    const isAtEnd = count < LANES_PER_PAGE;
    if (isSecondHalf && (isAtEnd || last >= start)) break;
    isSecondHalf ||= isAtEnd;
    after = isAtEnd ? "" : last;
  }
  await endEmptyLanes(db, start, deps.now());
  return afterLeases(leaseEnds);
}

/** Queues deliveries in the slow queue: if a subscription hangs again, they occupy their queue for a while. */
const queue = (deps: Deps, shard: number, deliveries: readonly OutboxKey[]): Promise<void> =>
  enqueueLater(deps, "slow", shard, deliveries);
