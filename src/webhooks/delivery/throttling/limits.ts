/** The limits of a subscription: how many deliveries it may be sent per unit of time, and how many at once. */
import { HOUR_MS, MINUTE_MS } from "../../../base/time";
import type { RateLimit } from "../../options/limit-options";

/** `delivery.rateLimit` and `delivery.maxConcurrent`. A missing member sets no limit. */
export interface Limits {
  rateLimit?: RateLimit | undefined;
  maxConcurrent?: number | undefined;
}

const UNIT_MS = { second: 1_000, minute: MINUTE_MS, hour: HOUR_MS } as const;
/** The part of a unit by which a start may be late. So a window of a unit has at most a tenth more than the limit. */
const JITTER_OF_UNIT = 0.1;

/** The shortest time between two starts in ms, not rounded. */
export const gapMs = ({ limit, per }: RateLimit): number => UNIT_MS[per] / limit;

/** How long after its scheduled start a delivery may be sent, in ms. */
export const startJitterMs = ({ per }: RateLimit): number => UNIT_MS[per] * JITTER_OF_UNIT;

/** The limits among the options of a subscription; null if it has none. */
export const limitsOf = (options: Limits | null): Limits | null =>
  options?.rateLimit === undefined && options?.maxConcurrent === undefined
    ? null
    : { rateLimit: options.rateLimit, maxConcurrent: options.maxConcurrent };

/** A text that is the same for the same limits. The database makes the same one: see `LIMITS_TEXT`. */
export const textOf = ({ rateLimit, maxConcurrent }: Limits): string =>
  JSON.stringify([rateLimit?.limit, rateLimit?.per, maxConcurrent]);
