/** Lengths of time in milliseconds, and times as answers show them. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A Unix time in milliseconds as ISO 8601 in UTC; null stays null. */
export function iso<T extends number | null>(timeMs: T): T extends number ? string : null;
export function iso(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
