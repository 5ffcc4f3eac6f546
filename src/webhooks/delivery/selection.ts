/**
 * Which deliveries to claim and to send next. The order is fair between subscriptions, and only what can start soon is
 * claimed.
 */
import type { Deps } from "../../base/deps";
import type { ShardKey } from "../../base/messages";
import { CLAIM_WORK_MS, MAX_WORK_MS } from "../plane/timing";
import { hasKeptPlace, type Owned, Places, placesOfTenant } from "./places";
import { expectedMs, hasRoomFor, sendsOf } from "./send-load";

/** The most deliveries that one claim takes. */
export const MAX_CLAIM = 60;

/** The expected duration of all sends of `items` together, in ms. */
export const workMs = (items: readonly Owned[]): number =>
  items.reduce((sum, { subscriptionId }) => sum + expectedMs(subscriptionId), 0);

/**
 * Returns the next item to send, undefined if none may start: the one with the earliest scheduled start that has come,
 * or else one whose tenant has the fewest deliveries in progress, and then whose subscription has the fewest sends.
 */
export function nextToSend<T extends Owned & { startMs: number }>(items: readonly T[], nowMs: number): T | undefined {
  let best: T | undefined;
  for (const item of items) {
    if (item.startMs <= nowMs && (!best || rank(item) < rank(best))) best = item;
  }
  return best;
}

/** More than a subscription has sends in progress. */
const TENANT_WEIGHT = 1_000;

/** Lower goes first. A time is larger than any number of sends, so scheduled starts are below it. */
const rank = ({ startMs, subscriptionId, tenantId }: Owned & { startMs: number }): number =>
  startMs > 0 ? startMs - Number.MAX_SAFE_INTEGER : TENANT_WEIGHT * placesOfTenant(tenantId) + sendsOf(subscriptionId);

interface Room {
  /** The most keys. */
  most?: number;
  /** The expected duration of other sends that start before. */
  plannedMs?: number;
  /** How many sends can start at once. */
  connections?: number;
}

/**
 * Returns the keys to claim next: as many as have a place and can start at once, or soon, judging by the latencies so
 * far, and as fit into memory. Tenants and subscriptions take turns, and the keys of each subscription keep their
 * order.
 */
export function planClaim<K extends ShardKey>(
  keys: readonly K[],
  nowMs: number,
  { most = MAX_CLAIM, plannedMs = 0, connections = 0 }: Room = {},
): K[] {
  const places = new Places(nowMs);
  const planned: K[] = [];
  let totalMs = plannedMs;
  let bytes = 0;
  for (const key of roundRobin(keys)) {
    const isFull = planned.length >= connections && totalMs > 0 && totalMs >= CLAIM_WORK_MS;
    if (planned.length === most || isFull) break;
    if (!hasRoomFor(bytes + key.bytes) || !(hasKeptPlace(key.id) || places.plan(key))) continue;
    planned.push(key);
    totalMs += expectedMs(key.subscriptionId);
    bytes += key.bytes;
  }
  return planned;
}

/**
 * An invocation may send D1 1,000 queries, and it is not known whether it counts the statements of a batch. After so
 * many, other invocations do what is left; the rest is for the records, and for what they feed.
 */
const MOST_STATEMENTS = 500;

/** Whether an invocation has used its share of statements. */
export const isSpent = ({ trips }: Pick<Deps, "trips">): boolean => (trips.statements ?? 0) >= MOST_STATEMENTS;

/** Returns those of `keys` that would wait too long in one run, after the first two seconds of sends. */
export function excessOf<K extends Owned>(keys: readonly K[]): K[] {
  if (workMs(keys) <= MAX_WORK_MS) return [];
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

/** The tenants take turns, and so do the subscriptions of each. */
export const roundRobin = <T extends Owned>(items: readonly T[]): T[] =>
  inTurns(
    inTurns(items, (item) => item.subscriptionId),
    (item) => item.tenantId,
  );
