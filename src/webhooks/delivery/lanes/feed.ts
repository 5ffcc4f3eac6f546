/**
 * Feeding the lanes: the next deliveries of a lane are queued when earlier ones have ended, and by the sweep. A lane
 * that has caught up is opened at once. One invocation at a time feeds the lanes of a database, those of others with
 * its own: what they ask for meanwhile is read together.
 */
import { firstIdAt, timeOfId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { MAX_KEYS_PER_SLOW_MESSAGE, type OutboxKey } from "../../../base/messages";
import { enqueueLater } from "../../plane/enqueue";
import { moveToLanes } from "../../plane/lane-store";
import { isInMain } from "../../plane/outbox-store";
import { FEED_LEASE_MS, QUEUE_GRACE_MS } from "../../plane/timing";
import { roomForBacklogs } from "../backlog-room";
import { isCoolingHere, memory } from "../isolate-memory";
import { afterLeases, handleOverdue, isRunning, type SweptAt } from "../overdue";
import type { OverdueDelivery } from "../overdue-store";
import { giveUpOldPlaces, giveUpPlace, hasKeptPlace, keepPlace, type Owned, Places, restedFromMs } from "../places";
import { roundRobin } from "../selection";
import { endAbandoned, isQuick, sendsOf } from "../send-load";
import { advanceLanes, endEmptyLanes, findLaneEnds, type Lane } from "./feed-store";
import type { HungryLane } from "./hungry";
import { LEAST_WIDTH, widthOf } from "./width";

/** How many lanes one read of the sweep covers, and how many reads a sweep makes. The next sweep begins elsewhere. */
const LANES_PER_PAGE = 250;
const MAX_PAGES = 4;
/** How many lanes are fed together, and how often one invocation does it: it may make 1,000 calls to D1. */
const LANES_AT_ONCE = 50;
const MAX_ROUNDS = 20;
/** So that one statement does not hold up the others of a database for long. */
const MOVED_AT_ONCE = 250;

/**
 * Queues the next deliveries of some lanes, or opens those that have caught up: when some of their deliveries have
 * ended, and when some wait. A lane without a place waits until a send of its tenant ends. Throws when D1 or the queue
 * is down.
 */
export async function feedLanes(deps: Deps, shard: number, lanes: readonly Owned[]): Promise<void> {
  for (const lane of lanes) noteHungry(shard, lane, deps.now());
  if (deps.now() < (memory.feedingUntilMs.get(shard) ?? 0)) return;
  try {
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
      const chosen = takeHungry(shard, deps.now());
      if (chosen.length === 0) return;
      memory.feedingUntilMs.set(shard, deps.now() + FEED_LEASE_MS);
      await feed(deps, shard, chosen);
    }
  } finally {
    memory.feedingUntilMs.delete(shard);
  }
}

/** Goes on with the lanes that wait, after a claim, which leaves room for others of them. Never throws. */
export function feedAfterClaim(deps: Deps, shard: number): void {
  if (memory.hungry.size === 0 || roomForBacklogs() < MAX_KEYS_PER_SLOW_MESSAGE) return;
  deps.background("feed lanes", feedLanes(deps, shard, []));
}

/** One more delivery of a lane waits for a place. */
export function noteHungry(shard: number, { subscriptionId, tenantId = "" }: Owned, nowMs: number): void {
  const order = { isQuick: isQuick(subscriptionId, nowMs), restedMs: restedFromMs(subscriptionId) };
  memory.hungry.note({ shard, subscriptionId, tenantId }, order);
}

/**
 * Feeds the lanes of deliveries that have ended, and those that wait for places of the same tenants. Throws when D1 or
 * the queue is down.
 */
export async function feedAfter(deps: Deps, shard: number, ended: readonly OutboxKey[]): Promise<void> {
  const fed = ended.filter((delivery) => {
    const { subscriptionId } = delivery;
    const before = memory.endedSinceFed.get(subscriptionId);
    // Outside its lane, if this isolate knows of none.
    if (before === undefined && isInMain(delivery)) return false;
    const count = (before ?? 0) + 1;
    memory.endedSinceFed.set(subscriptionId, count);
    return count >= portionOf(subscriptionId) || sendsOf(subscriptionId) === 0;
  });
  if (fed.length > 0 || memory.hungry.size > 0) await feedLanes(deps, shard, fed);
}

/**
 * Takes the lanes that have places, in their order (hungry.ts). Forgets those that their own results or the sweep will
 * feed.
 */
export function takeHungry(shard: number, nowMs: number): HungryLane[] {
  endAbandoned(nowMs);
  giveUpOldPlaces(nowMs);
  const most = Math.min(LANES_AT_ONCE, roomForBacklogs());
  if (most === 0) return [];
  const places = new Places(nowMs);
  const chosen: HungryLane[] = [];
  for (const turn of memory.hungry.turnsOf(shard)) {
    const lane = turn.find((first) => mayGo(places, first, nowMs));
    if (!lane || !places.plan(lane)) continue;
    memory.hungry.take(lane);
    memory.endedSinceFed.set(lane.subscriptionId, 0);
    chosen.push(lane);
    if (chosen.length === most) break;
  }
  return chosen;
}

/** Whether a lane has a place; undefined if it waits no longer, or has begun to send since it was put in its place. */
function mayGo(places: Places, lane: HungryLane, nowMs: number): boolean | undefined {
  const { subscriptionId } = lane;
  if (!isWorthFeeding(places, lane) || isCoolingHere(subscriptionId, nowMs)) {
    memory.hungry.delete(subscriptionId);
    return undefined;
  }
  if (places.hasFree(lane)) return true;
  return memory.hungry.reorder(subscriptionId, restedFromMs(subscriptionId)) ? undefined : false;
}

/** A wide lane is fed when enough of its deliveries have ended to fill a message. */
const portionOf = (subscriptionId: string): number =>
  Math.min(MAX_KEYS_PER_SLOW_MESSAGE, Math.ceil(widthOf(subscriptionId) / 2));

/** Whether so many of a lane may go on that a message is worth it: a wide lane fills one. */
const isWorthFeeding = (places: Places, lane: HungryLane): boolean => {
  const width = widthOf(lane.subscriptionId);
  return places.ofWidth(lane) >= Math.max(1, Math.min(MAX_KEYS_PER_SLOW_MESSAGE, Math.floor(width / 10)));
};

async function feed(deps: Deps, shard: number, chosen: readonly HungryLane[]): Promise<void> {
  const nowMs = deps.now();
  const lanes = withRoom(chosen, nowMs);
  const { heads, moved } = await advanceLanes(deps.shards.db(shard), { lanes }, nowMs);
  const hasMore = new Set(heads.map(({ queue: lane }) => lane));
  for (const { id } of lanes) if (!hasMore.has(id)) memory.endedSinceFed.delete(id);
  const places = new Places(deps.now());
  // Without the deliveries that an earlier result has queued; otherwise every result would queue the whole page again.
  const unfed = heads.filter(
    ({ attemptStatus, id }) => attemptStatus === null && nowMs - (memory.fedAtMs.get(id) ?? 0) >= QUEUE_GRACE_MS,
  );
  let room = roomForBacklogs();
  const next = roundRobin(unfed).filter((key) => {
    const isFree = room > 0 && places.plan(key);
    if (isFree) room -= 1;
    if (isFree) memory.fedAtMs.set(key.id, nowMs);
    else if (places.ofWidth(key) > 0) noteHungry(shard, key, nowMs);
    return isFree;
  });
  const movedNext = moved.filter((key) => key.dueAt <= nowMs && places.plan(key));
  for (const key of [...movedNext, ...next]) keepPlace(key.id, key, deps.now());
  await queue(deps, shard, [...moved, ...next]);
}

/**
 * The lanes of a tenant divide its places. A lane that has more than it has places for does not count as caught up:
 * what left it would come back.
 */
function withRoom(chosen: readonly HungryLane[], nowMs: number): Lane[] {
  const places = new Places(nowMs);
  const byTenant = Map.groupBy(chosen, ({ tenantId }) => tenantId);
  return chosen.map((lane) => {
    const width = widthOf(lane.subscriptionId);
    const free = places.of(places.poolFor(lane) ?? "share", lane);
    const part = Math.floor(free / (byTenant.get(lane.tenantId)?.length ?? 1));
    return { id: lane.subscriptionId, width: Math.min(width, width - places.ofWidth(lane) + Math.max(1, part)) };
  });
}

/** Deliveries that have no place wait in the lanes of their subscriptions. Throws when D1 or the queue is down. */
export async function waitInLanes(deps: Deps, shard: number, keys: readonly OutboxKey[]): Promise<void> {
  for (const { id, subscriptionId } of keys) {
    memory.fedAtMs.delete(id);
    giveUpPlace(id);
    if (!memory.endedSinceFed.has(subscriptionId)) memory.endedSinceFed.set(subscriptionId, 0);
  }
  const outside = keys.filter(isInMain);
  for (let start = 0; start < outside.length; start += MOVED_AT_ONCE) {
    await moveToLanes(deps.shards.db(shard), outside.slice(start, start + MOVED_AT_ONCE));
  }
  await feedLanes(deps, shard, keys);
}

/**
 * Feeds the lanes of a shard, from a random one on, and opens those that have caught up. Returns when to
 * sweep for what is in progress in them (Unix ms); null for nothing. Throws when D1 or the queue is down.
 */
export async function sweepLanes(deps: Deps, shard: number, sweptAt: SweptAt = new Map()): Promise<number | null> {
  const db = deps.shards.db(shard);
  const ends = await findLaneEnds(db);
  const startMs = ends ? timeOfId(ends.first) + Math.random() * (timeOfId(ends.last) - timeOfId(ends.first)) : 0;
  const start = firstIdAt(Math.floor(startMs));
  const leaseEnds: number[] = [];
  let after = start;
  let isSecondHalf = false;
  for (let pages = 0; ends && pages < MAX_PAGES; pages += 1) {
    const lanes = { after, limit: LANES_PER_PAGE, width: LEAST_WIDTH };
    const { heads, moved, count, last } = await advanceLanes(db, lanes, deps.now());
    await queue(deps, shard, moved);
    leaseEnds.push(...(await handleOverdue(deps, shard, withoutFed(heads, deps.now()), sweptAt)));
    const isAtEnd = count < LANES_PER_PAGE;
    if (isSecondHalf && (isAtEnd || last >= start)) break;
    isSecondHalf ||= isAtEnd;
    after = isAtEnd ? "" : last;
  }
  // In case nothing is in progress whose end would do it.
  if (memory.hungry.size > 0) await feedLanes(deps, shard, []);
  await endEmptyLanes(db, start, deps.now());
  return afterLeases(leaseEnds);
}

/**
 * A lane with a delivery in progress is fed by its result, and one that waits here for a place gets the next one, so
 * that the sweep queues nothing twice.
 */
function withoutFed(heads: readonly OverdueDelivery[], nowMs: number): OverdueDelivery[] {
  const isWorking = (head: OverdueDelivery) => isRunning(head, nowMs) || hasKeptPlace(head.id);
  const working = new Set(heads.filter(isWorking).map(({ queue: lane }) => lane));
  return heads.filter(
    ({ attemptStatus, queue: lane }) => attemptStatus !== null || !(working.has(lane) || memory.hungry.has(lane)),
  );
}

/** Queues deliveries in the slow queue, where each message gets an invocation of its own. */
const queue = (deps: Deps, shard: number, deliveries: readonly OutboxKey[]): Promise<void> =>
  enqueueLater(deps, "slow", shard, deliveries);
