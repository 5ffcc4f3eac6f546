/** The limits of a subscription: how many deliveries it may be sent per unit of time, and how many at once. */

type Unit = "second" | "minute" | "hour";

export interface RateLimit {
  limit: number;
  per: Unit;
}

/** `delivery.rateLimit` and `delivery.maxConcurrent`. A missing member sets no limit. */
export interface Limits {
  rateLimit?: RateLimit | undefined;
  maxConcurrent?: number | undefined;
}

interface Times {
  unitMs: number;
  /** The allowance for differences between clocks and for network delays. */
  marginMs: number;
  /** How long after the granted moment a delivery may start. */
  leewayMs: number;
  /** Starts are counted in steps of this length, which bounds what a gate stores. */
  stepMs: number;
  /** Starts are granted at most this long in advance. Short, because a missed start counts until its time. */
  aheadMs: number;
}

const TIMES: Record<Unit, Times> = {
  second: { unitMs: 1_000, marginMs: 10, leewayMs: 40, stepMs: 1, aheadMs: 250 },
  minute: { unitMs: 60_000, marginMs: 300, leewayMs: 300, stepMs: 60, aheadMs: 3_000 },
  hour: { unitMs: 3_600_000, marginMs: 3_000, leewayMs: 1_000, stepMs: 3_600, aheadMs: 3_000 },
};
/** After a delay, the time between starts may shrink to this fraction of the usual time, to catch up with the limit. */
const SHORTEST_GAP = 0.75;

export const timesOf = ({ per }: RateLimit): Times => TIMES[per];

/** The shortest time from the last moment of a start to the start that comes `limit` starts later, in ms. */
export const spanMs = ({ per }: RateLimit): number => TIMES[per].unitMs + TIMES[per].marginMs;

/** The time between two planned starts in ms, not rounded. */
export const gapMs = (rateLimit: RateLimit): number => {
  const { stepMs } = timesOf(rateLimit);
  return (spanMs(rateLimit) + stepMs) / rateLimit.limit;
};

/** The shortest time between two granted starts in ms, not rounded. */
export const shortestGapMs = ({ limit, per }: RateLimit): number => (SHORTEST_GAP * TIMES[per].unitMs) / limit;

/** A text that is the same for the same limits. */
export const nameOf = ({ rateLimit, maxConcurrent }: Limits): string =>
  JSON.stringify([rateLimit?.limit, rateLimit?.per, maxConcurrent]);
