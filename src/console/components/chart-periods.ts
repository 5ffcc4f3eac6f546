/** The periods that a chart can show, and its bars. The service counts by the hour, so a bar is one hour or more. */
import { HOUR_MS, hourOf, iso } from "../../base/time";

interface Period {
  hours: number;
  hoursPerBar: number;
  /** How many bars apart the labels of the time axis are. */
  barsPerTick: number;
}

export const PERIODS = {
  "24h": { hours: 24, hoursPerBar: 1, barsPerTick: 6 },
  "7d": { hours: 168, hoursPerBar: 6, barsPerTick: 4 },
  "30d": { hours: 720, hoursPerBar: 24, barsPerTick: 5 },
} as const satisfies Record<string, Period>;

export type PeriodName = keyof typeof PERIODS;

export const PERIOD_NAMES = Object.keys(PERIODS) as PeriodName[];

/** The period of this name; a day for any other name. */
export const periodOf = (name: string | undefined): PeriodName =>
  name !== undefined && Object.hasOwn(PERIODS, name) ? (name as PeriodName) : "24h";

/** The attempts that started in the time of a bar. */
export interface Bar {
  /** ISO 8601. */
  start: string;
  success: number;
  failed: number;
  pending: number;
}

/** The start of the first hour of a period that ends with the current hour, Unix ms. */
export const startOfPeriod = (nowMs: number, period: PeriodName): number =>
  hourOf(nowMs) - (PERIODS[period].hours - 1) * HOUR_MS;

/**
 * The bars of a period, those without attempts included. `hour` is the start of an hour, Unix ms. `pending` is the
 * number of attempts in progress, shown in the last bar.
 */
export function barsOf(
  rows: readonly { hour: number; succeeded: number; failed: number }[],
  { period, nowMs, pending = 0 }: { period: PeriodName; nowMs: number; pending?: number },
): Bar[] {
  const { hours, hoursPerBar } = PERIODS[period];
  const startMs = startOfPeriod(nowMs, period);
  const barMs = hoursPerBar * HOUR_MS;
  const byBar = Map.groupBy(rows, ({ hour }) => Math.floor((hour - startMs) / barMs));
  const count = hours / hoursPerBar;
  return Array.from({ length: count }, (_, index) => {
    const ofBar = byBar.get(index) ?? [];
    return {
      start: iso(startMs + index * barMs),
      success: ofBar.reduce((sum, { succeeded }) => sum + succeeded, 0),
      failed: ofBar.reduce((sum, row) => sum + row.failed, 0),
      pending: index === count - 1 ? pending : 0,
    };
  });
}
