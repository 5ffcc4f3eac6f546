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

/**
 * Slots are `unit + slack` apart for each `limit`: slot n + limit comes a whole unit and the slack after slot n. A delivery starts in its
 * slot, or so much later as `maxDelayMs` allows, or not in this slot at all. So the starts of any limit + 1 deliveries in a row span more
 * than a unit, and no sliding window has limit + 1 of them. A third of the slack is left for clocks and networks that differ.
 */
const SLACK_MS: Record<Unit, number> = { second: 15, minute: 900, hour: 9_000 };
const LONGEST_DELAY_MS = 1_000;

/** The time between two slots in ms, not rounded. */
export const gapMs = ({ limit, per }: RateLimit): number => (UNIT_MS[per] + SLACK_MS[per]) / limit;

/** How long after its slot a delivery may still start, in ms. */
export const maxDelayMs = ({ per }: RateLimit): number => Math.min((SLACK_MS[per] * 2) / 3, LONGEST_DELAY_MS);

/** A text that is the same for the same limits. */
export const nameOf = ({ rateLimit, maxConcurrent }: Limits): string =>
  JSON.stringify([rateLimit?.limit, rateLimit?.per, maxConcurrent]);
