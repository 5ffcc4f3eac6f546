/** Which deliveries go next: fair between subscriptions, and no more than can start soon. */
import type { Lane } from "./enqueue";
import type { OutboxKey } from "./message";
import { expectedMs, hasRoomFor, MAX_SENDS_OF_SLOW, sendsOf } from "./send-load";

/** One claim takes no more. */
const MAX_WAVE = 60;
/** What six places send in about 0.7 s. */
const WAVE_WORK_MS = 6 * 700;

interface Item {
  subscriptionId: string;
}

interface ShardKey extends OutboxKey {
  shard: number;
}

/** In the slow lane a subscription has few places. */
const mayStart = (lane: Lane, sends: number): boolean => lane === "fast" || sends < MAX_SENDS_OF_SLOW;

/** Takes the item whose subscription has the fewest sends under way; undefined when none may start. */
export function takeFairest<T extends Item>(lane: Lane, items: T[]): T | undefined {
  let best = -1;
  let bestSends = Infinity;
  for (const [index, { subscriptionId }] of items.entries()) {
    const sends = sendsOf(subscriptionId);
    if (sends >= bestSends || !mayStart(lane, sends)) continue;
    best = index;
    bestSends = sends;
    if (sends === 0) break;
  }
  return best < 0 ? undefined : items.splice(best, 1)[0];
}

/**
 * What to claim next: keys of one shard whose sends can start soon by the latencies seen so far, few of each slow subscription, and no
 * more payload than the isolate has room for. In the order of the keys, but subscriptions take turns.
 */
export function planWave<K extends ShardKey>(lane: Lane, keys: readonly K[]): K[] {
  const shard = keys[0]?.shard;
  const chosenOf = new Map<string, number>();
  const wave: K[] = [];
  let workMs = 0;
  let bytes = 0;
  for (const key of inTurns(keys.filter((candidate) => candidate.shard === shard))) {
    const chosen = chosenOf.get(key.subscriptionId) ?? 0;
    if (!mayStart(lane, sendsOf(key.subscriptionId) + chosen) || !hasRoomFor(bytes + key.bytes)) continue;
    if (wave.length === MAX_WAVE || (wave.length > 0 && workMs >= WAVE_WORK_MS)) break;
    wave.push(key);
    chosenOf.set(key.subscriptionId, chosen + 1);
    workMs += expectedMs(key.subscriptionId);
    bytes += key.bytes;
  }
  return wave;
}

/** The first of each subscription, then the second of each, and so on. */
export function inTurns<T extends Item>(items: readonly T[]): T[] {
  const turnOf = new Map<string, number>();
  const turned = items.map((item) => {
    const turn = turnOf.get(item.subscriptionId) ?? 0;
    turnOf.set(item.subscriptionId, turn + 1);
    return { item, turn };
  });
  return turned.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}
