/**
 * Which deliveries to claim and to send next. The order is fair between subscriptions, and only what can start soon is
 * claimed.
 */
import type { ShardKey } from "../../base/messages";
import type { QueueSpeed } from "../plane/enqueue";
import { CLAIM_WORK_MS, MAX_WORK_MS } from "../plane/timing";
import { widthOf } from "./lanes/width";
import { expectedMs, hasRoomFor, sendsOf } from "./send-load";

/** The most deliveries that one claim takes. */
export const MAX_CLAIM = 60;

interface Item {
  subscriptionId: string;
}

/** In the slow queue, a subscription may have only a few sends in progress. */
const mayStart = (speed: QueueSpeed, subscriptionId: string, sends: number): boolean =>
  speed === "fast" || sends < widthOf(subscriptionId);

/** The expected duration of all sends of `items` together, in ms. */
export const workMs = (items: readonly Item[]): number =>
  items.reduce((sum, { subscriptionId }) => sum + expectedMs(subscriptionId), 0);

/**
 * Returns the next item to send, undefined if none may start: the one with the earliest scheduled start that has come,
 * or else one whose subscription has the fewest sends in progress.
 */
export function nextToSend<T extends Item & { startMs: number }>(
  speed: QueueSpeed,
  items: readonly T[],
  nowMs: number,
): T | undefined {
  let best: T | undefined;
  for (const item of items) {
    if (item.startMs > nowMs || !mayStart(speed, item.subscriptionId, sendsOf(item.subscriptionId))) continue;
    if (!best || rank(item) < rank(best)) best = item;
  }
  return best;
}

/** Lower goes first. A time is larger than any number of sends, so scheduled starts are below it. */
const rank = ({ startMs, subscriptionId }: Item & { startMs: number }): number =>
  startMs > 0 ? startMs - Number.MAX_SAFE_INTEGER : sendsOf(subscriptionId);

/**
 * Returns the keys to claim next, at most `most`: as many as can start soon beside `plannedMs` of other sends, judging
 * by the latencies so far, and as fit into memory. In the slow queue, each subscription gets only a few. Subscriptions
 * take turns, and the keys of each keep their order.
 */
export function planClaim<K extends ShardKey>(
  speed: QueueSpeed,
  keys: readonly K[],
  most = MAX_CLAIM,
  plannedMs = 0,
): K[] {
  const chosenOf = new Map<string, number>();
  const planned: K[] = [];
  let totalMs = plannedMs;
  let bytes = 0;
  for (const key of roundRobin(keys)) {
    const chosen = chosenOf.get(key.subscriptionId) ?? 0;
    if (!mayStart(speed, key.subscriptionId, sendsOf(key.subscriptionId) + chosen)) continue;
    if (!hasRoomFor(bytes + key.bytes)) continue;
    if (planned.length === most || (totalMs > 0 && totalMs >= CLAIM_WORK_MS)) break;
    planned.push(key);
    chosenOf.set(key.subscriptionId, chosen + 1);
    totalMs += expectedMs(key.subscriptionId);
    bytes += key.bytes;
  }
  return planned;
}

/**
 * Returns those of `keys` that would wait too long in one run, after the first two seconds of sends. None in the slow
 * queue, which slow subscriptions may hold up.
 */
export function excessOf<K extends Item>(speed: QueueSpeed, keys: readonly K[]): K[] {
  if (speed === "slow" || workMs(keys) <= MAX_WORK_MS) return [];
  let sumMs = 0;
  return roundRobin(keys).filter(({ subscriptionId }) => {
    sumMs += expectedMs(subscriptionId);
    return sumMs > MAX_WORK_MS;
  });
}

/** Returns the first item of each owner, then the second of each, and so on. The items of each keep their order. */
export function inTurns<T>(items: readonly T[], ownerOf: (item: T) => unknown): T[] {
  const turnOf = new Map<unknown, number>();
  const turned = items.map((item) => {
    const owner = ownerOf(item);
    const turn = turnOf.get(owner) ?? 0;
    turnOf.set(owner, turn + 1);
    return { item, turn };
  });
  return turned.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}

/** The subscriptions take turns. */
export const roundRobin = <T extends Item>(items: readonly T[]): T[] => inTurns(items, (item) => item.subscriptionId);
