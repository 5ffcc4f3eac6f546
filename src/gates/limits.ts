/** What a subscription may be sent: so many deliveries per unit of time, and so many at once. */

type Unit = "second" | "minute" | "hour";

export interface RateLimit {
  limit: number;
  per: Unit;
}

/** `delivery.rateLimit` and `delivery.maxConcurrent`. A member that is missing sets no limit. */
export interface Limits {
  rateLimit?: RateLimit | undefined;
  maxConcurrent?: number | undefined;
}

interface Times {
  unitMs: number;
  /** What clocks and networks may differ by. */
  marginMs: number;
  /** How long after the granted moment a delivery may start. */
  leewayMs: number;
  /** Starts are counted in steps of this length, which bounds what a gate stores. */
  stepMs: number;
  /** Starts are granted at most this long before. Short, because one that is missed counts until then. */
  aheadMs: number;
}

const TIMES: Record<Unit, Times> = {
  second: { unitMs: 1_000, marginMs: 10, leewayMs: 40, stepMs: 1, aheadMs: 250 },
  minute: { unitMs: 60_000, marginMs: 300, leewayMs: 300, stepMs: 60, aheadMs: 3_000 },
  hour: { unitMs: 3_600_000, marginMs: 3_000, leewayMs: 1_000, stepMs: 3_600, aheadMs: 3_000 },
};
/** After a delay, starts may follow one another in this part of the usual time, until the limit is used again. */
const SHORTEST_GAP = 0.75;

export const timesOf = ({ per }: RateLimit): Times => TIMES[per];

/** How long after the last moment of a start the start `limit` starts later may come, in ms. */
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
