/** What this isolate has in hand, across its batches: how many sends each subscription holds, and how full each lane is. */

export type Lane = "fast" | "slow";

/** Claimed deliveries beyond which a lane's batches hold their queue: it bounds the memory. */
const MAX_IN_FLIGHT: Record<Lane, number> = { fast: 300, slow: 240 };
/** In the slow lane: more sends of one subscription would take the places of the others. */
const MAX_SLOW_SENDS = 3;

const inFlight: Record<Lane, number> = { fast: 0, slow: 0 };
const sends = new Map<string, number>();

export const isFull = (lane: Lane): boolean => inFlight[lane] >= MAX_IN_FLIGHT[lane];

export function enterLane(lane: Lane, count: number): void {
  inFlight[lane] += count;
}

export function leaveLane(lane: Lane, count: number): void {
  inFlight[lane] -= count;
}

export const sendsOf = (subscriptionId: string): number => sends.get(subscriptionId) ?? 0;

export const mayStart = (lane: Lane, subscriptionId: string): boolean =>
  lane === "fast" || sendsOf(subscriptionId) < MAX_SLOW_SENDS;

/** Subscriptions that hold all the places one may have in the slow lane. */
export const saturated = (): string[] => [...sends.keys()].filter((id) => !mayStart("slow", id));

export function startSend(subscriptionId: string): void {
  sends.set(subscriptionId, sendsOf(subscriptionId) + 1);
}

export function endSend(subscriptionId: string): void {
  const left = sendsOf(subscriptionId) - 1;
  if (left > 0) sends.set(subscriptionId, left);
  else sends.delete(subscriptionId);
}
