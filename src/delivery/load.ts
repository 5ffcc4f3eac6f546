/** What this isolate has in hand, across its batches: how many sends each subscription holds, and how full each lane is. */

export type Lane = "fast" | "slow";

/** Claimed deliveries beyond which a lane's batches hold their queue: it bounds the memory. */
const MAX_IN_FLIGHT: Record<Lane, number> = { fast: 300, slow: 240 };
/** In the slow lane: more sends of one subscription would take the places of the others. */
const MAX_SLOW_SENDS = 3;

/** A subscription whose sends under way have all been silent for so long hangs. */
export const HANGS_AFTER_MS = 1_000;

/** Longer than any delivery is in hand. What is held longer was in an invocation that the runtime has killed. */
const MAX_HOLD_MS = 30_000;

const inFlight: Record<Lane, number> = { fast: 0, slow: 0 };
/** Of each subscription with a send under way; `silentSinceMs` is the last end or the first start. */
const sends = new Map<string, { active: number; silentSinceMs: number }>();

interface Hold {
  sinceMs: number;
  release: () => void;
}
/** In the order of time. */
const holds = new Set<Hold>();

function hold(nowMs: number, release: () => void): () => void {
  const taken = { sinceMs: nowMs, release };
  holds.add(taken);
  return () => {
    if (holds.delete(taken)) release();
  };
}

function releaseDead(nowMs: number): void {
  for (const taken of holds) {
    if (nowMs - taken.sinceMs < MAX_HOLD_MS) return;
    holds.delete(taken);
    taken.release();
  }
}

/** Whether a lane's batches should hold their queue. */
export function isFull(lane: Lane, nowMs: number): boolean {
  releaseDead(nowMs);
  return inFlight[lane] >= MAX_IN_FLIGHT[lane];
}

/** Counts one delivery into a lane; call what it returns when the delivery is out of hand. */
export function enterLane(lane: Lane, nowMs: number): () => void {
  inFlight[lane] += 1;
  return hold(nowMs, () => {
    inFlight[lane] -= 1;
  });
}

export const sendsOf = (subscriptionId: string): number => sends.get(subscriptionId)?.active ?? 0;

/** A busy subscription, or one whose answers we have no time to read, does not hang. */
export function hangs(subscriptionId: string, nowMs: number): boolean {
  const load = sends.get(subscriptionId);
  return load !== undefined && nowMs - load.silentSinceMs >= HANGS_AFTER_MS;
}

export const mayStart = (lane: Lane, subscriptionId: string): boolean =>
  lane === "fast" || sendsOf(subscriptionId) < MAX_SLOW_SENDS;

/** Subscriptions that hang and hold all the places one may have in the slow lane. */
export function saturated(nowMs: number): string[] {
  releaseDead(nowMs);
  return [...sends.keys()].filter((id) => !mayStart("slow", id) && hangs(id, nowMs));
}

/** Counts one send; call what it returns when the send has ended. */
export function startSend(subscriptionId: string, now: () => number): () => void {
  const load = sends.get(subscriptionId) ?? { active: 0, silentSinceMs: now() };
  load.active += 1;
  sends.set(subscriptionId, load);
  return hold(now(), () => {
    load.active -= 1;
    load.silentSinceMs = now();
    if (load.active === 0) sends.delete(subscriptionId);
  });
}
