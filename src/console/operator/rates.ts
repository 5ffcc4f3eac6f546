/** How many attempts there are a minute, and which share of them fails. */

import { MINUTE_MS } from "../../base/time";
import type { ServiceStatus } from "../../service/operators/schemas";

/** The attempts in a period. */
type Attempts = NonNullable<ServiceStatus["shards"][number]["attempts"]>;

/** Attempts a minute. */
export const rateOf = (all: readonly Attempts[]): number =>
  all.reduce((sum, { since, until, succeeded, failed }) => {
    const minutes = (Date.parse(until) - Date.parse(since)) / MINUTE_MS;
    return sum + (succeeded + failed) / minutes;
  }, 0);

/** From 0 to 1; null without attempts. */
export function failedShare(all: readonly { succeeded: number; failed: number }[]): number | null {
  const failed = all.reduce((sum, attempts) => sum + attempts.failed, 0);
  const total = all.reduce((sum, attempts) => sum + attempts.succeeded, failed);
  return total === 0 ? null : failed / total;
}

export const percent = (share: number | null): string => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);

/** One decimal below ten, none above. */
export function perMinute(rate: number): string {
  if (rate > 0 && rate < 0.1) return "< 0.1";
  return rate.toLocaleString("en", { maximumFractionDigits: rate < 10 ? 1 : 0 });
}
