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

const UNIT_MS: Record<Unit, number> = { second: 1_000, minute: 60_000, hour: 3_600_000 };
/** What clocks and networks may differ by. */
const MARGIN_MS: Record<Unit, number> = { second: 5, minute: 300, hour: 3_000 };
const LEEWAY_MS: Record<Unit, number> = { second: 10, minute: 500, hour: 1_000 };
/** The line is planned a little slower than the limit, so that a start that uses its leeway does not push the ones after it. */
const SLACK_MS: Record<Unit, number> = { second: 15, minute: 900, hour: 9_000 };

/** How long after a start is granted the next start beyond the limit must wait, in ms. */
export const spanMs = ({ per }: RateLimit): number => UNIT_MS[per] + MARGIN_MS[per];

/** The time between two planned starts in ms, not rounded. */
export const gapMs = ({ limit, per }: RateLimit): number => (UNIT_MS[per] + SLACK_MS[per]) / limit;

/** How long after the granted moment a delivery may still start, in ms, unless it needs longer. */
export const leewayMs = ({ per }: RateLimit): number => LEEWAY_MS[per];

/** Starts are counted in steps of so many ms, which bounds what a gate stores. */
export const stepMs = ({ per }: RateLimit): number => UNIT_MS[per] / 1_000;

/** A text that is the same for the same limits. */
export const nameOf = ({ rateLimit, maxConcurrent }: Limits): string =>
  JSON.stringify([rateLimit?.limit, rateLimit?.per, maxConcurrent]);
