/**
 * Which deliveries to claim and to send next. The order is fair between subscriptions, and only what can start soon is
 * claimed.
 */

import type { ShardKey } from "../../platform/messages";
import { widthOf } from "../lanes/width";
import type { QueueSpeed } from "./enqueue";
import { expectedMs, hasRoomFor, sendsOf } from "./send-load";
import { ASK_BEFORE_START_MS, ASK_WITH_FIRST_MS, TAKE_BEFORE_START_MS } from "./timing";

/** The most deliveries that one claim takes. */
const MAX_CLAIM = 60;
/** The expected duration of all sends of one claim together: six run at once, so they take about 0.7 s. */
const CLAIM_WORK_MS = 6 * 700;
/** The expected duration of all sends that may wait in one invocation together: with six at once, about 2 s. */
const MAX_WORK_MS = 6 * 2_000;

interface Item {
  subscriptionId: string;
  /**
   * When it should start (Unix ms), if its subscription is limited; `latestMs` is null until the gate grants the start.
   */
  start?: { atMs: number; latestMs: number | null } | undefined;
}

/** In the slow queue, a subscription may have only a few sends in progress. */
const mayStart = (speed: QueueSpeed, subscriptionId: string, sends: number): boolean =>
  speed === "fast" || sends < widthOf(subscriptionId);

/**
 * Removes and returns the next item to send: the earliest whose start is due, or else one without limits; undefined if
 * none may start.
 */
export function takeNext<T extends Item>(speed: QueueSpeed, items: T[], nowMs: number): T | undefined {
  let first = -1;
  let firstMs = nowMs + TAKE_BEFORE_START_MS;
  for (const [index, { start, subscriptionId }] of items.entries()) {
    if (!start || start.atMs > firstMs || (start.latestMs ?? 0) < nowMs) continue;
    if (!mayStart(speed, subscriptionId, sendsOf(subscriptionId))) continue;
    first = index;
    firstMs = start.atMs;
  }
  return first < 0 ? takeFairest(speed, items) : items.splice(first, 1)[0];
}

/** When to look at an item next, to ask for its start or to send it (Unix ms). */
export const takenAtMs = ({ start }: Item): number =>
  start ? start.atMs - (start.latestMs === null ? ASK_BEFORE_START_MS : TAKE_BEFORE_START_MS) : 0;

/**
 * Returns the limited items that need a start: those that should start soon and have none, and those that have missed
 * theirs.
 */
export function withoutStart<T extends Item>(
  items: readonly T[],
  nowMs: number,
): (T & { start: NonNullable<T["start"]> })[] {
  const comesWithin = (ms: number) =>
    items.filter(
      (item): item is T & { start: NonNullable<T["start"]> } =>
        item.start !== undefined && (item.start.latestMs ?? item.start.atMs - ms) < nowMs,
    );
  return comesWithin(ASK_BEFORE_START_MS).length === 0 ? [] : comesWithin(ASK_WITH_FIRST_MS);
}

/**
 * Removes and returns the item without limits whose subscription has the fewest sends in progress; undefined when none
 * may start.
 */
export function takeFairest<T extends Item>(speed: QueueSpeed, items: T[]): T | undefined {
  let best = -1;
  let bestSends = Infinity;
  for (const [index, { subscriptionId, start }] of items.entries()) {
    const sends = sendsOf(subscriptionId);
    if (start || sends >= bestSends || !mayStart(speed, subscriptionId, sends)) continue;
    best = index;
    bestSends = sends;
    if (sends === 0) break;
  }
  return best < 0 ? undefined : items.splice(best, 1)[0];
}

/**
 * Returns the keys to claim next, all of one shard: as many as can start soon, judging by the latencies so far, and as
 * fit into memory. In the slow queue, each subscription gets only a few. Subscriptions take turns, and the keys of each
 * keep their order.
 */
export function planClaim<K extends ShardKey>(speed: QueueSpeed, keys: readonly K[]): K[] {
  const shard = keys[0]?.shard;
  const chosenOf = new Map<string, number>();
  const planned: K[] = [];
  let workMs = 0;
  let bytes = 0;
  for (const key of roundRobin(keys.filter((candidate) => candidate.shard === shard))) {
    const chosen = chosenOf.get(key.subscriptionId) ?? 0;
    if (!mayStart(speed, key.subscriptionId, sendsOf(key.subscriptionId) + chosen) || !hasRoomFor(bytes + key.bytes))
      continue;
    if (planned.length === MAX_CLAIM || (planned.length > 0 && workMs >= CLAIM_WORK_MS)) break;
    planned.push(key);
    chosenOf.set(key.subscriptionId, chosen + 1);
    workMs += expectedMs(key.subscriptionId);
    bytes += key.bytes;
  }
  return planned;
}

/**
 * Whether one invocation would take too long for `keys`. Never in the slow queue, which slow subscriptions may hold up.
 */
export const isTooMuch = (speed: QueueSpeed, keys: readonly Item[]): boolean =>
  speed === "fast" && keys.reduce((workMs, { subscriptionId }) => workMs + expectedMs(subscriptionId), 0) > MAX_WORK_MS;

/** Returns the first item of each subscription, then the second of each, and so on. */
export function roundRobin<T extends Item>(items: readonly T[]): T[] {
  const turnOf = new Map<string, number>();
  const turned = items.map((item) => {
    const turn = turnOf.get(item.subscriptionId) ?? 0;
    turnOf.set(item.subscriptionId, turn + 1);
    return { item, turn };
  });
  return turned.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}

/**
 * Returns the first item of each list, then the second of each, and so on. A message has the deliveries of one event or
 * a few, so taking turns between messages is fair to tenants.
 */
export function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}
