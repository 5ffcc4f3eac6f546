/** The hours that a chart shows: the current one and the 23 before it. */
import { HOUR_MS, iso } from "../../platform/time";
import type { Bar } from "./charts";

export const CHART_HOURS = 24;

/** The start of a chart's first hour, Unix ms. */
export const chartStart = (nowMs: number) => nowMs - (nowMs % HOUR_MS) - (CHART_HOURS - 1) * HOUR_MS;

/**
 * One bar per hour, hours without attempts included. `pending` is the number of attempts in progress, shown in the
 * current hour.
 */
export function barsOf(
  rows: readonly { hour: number; succeeded: number; failed: number }[],
  nowMs: number,
  pending = 0,
): Bar[] {
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  const startMs = chartStart(nowMs);
  return Array.from({ length: CHART_HOURS }, (_, index) => {
    const hour = startMs + index * HOUR_MS;
    const row = byHour.get(hour);
    return {
      hour: iso(hour),
      success: row?.succeeded ?? 0,
      failed: row?.failed ?? 0,
      pending: index === CHART_HOURS - 1 ? pending : 0,
    };
  });
}
