/** Lengths of time in milliseconds, and times as answers show them. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** When the hour of a time began; both in Unix ms. */
export const hourOf = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);

/** When the last full hour before a time began; both in Unix ms. */
export const lastFullHour = (timeMs: number): number => hourOf(timeMs) - HOUR_MS;

/** Resolves as `work` does. Throws when that takes longer than `limitMs`; the work itself goes on. */
export async function inTime<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A Unix time in milliseconds as ISO 8601 in UTC; null stays null. */
export function iso<T extends number | null>(timeMs: T): T extends number ? string : null;
export function iso(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
