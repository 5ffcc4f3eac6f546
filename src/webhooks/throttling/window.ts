/**
 * The starts that a gate has granted lately. A start counts at the last moment at which it may be made, until its
 * consumer reports when it was made, or that it was not. A start is granted only if fewer than `limit` counted starts
 * can fall into the unit of time before it. So no sliding window has more: of any `limit` + 1 starts, the one that was
 * granted last comes more than a unit after one of the others.
 */
import type { Made } from "./demand";
import { type RateLimit, shortestGapMs, spanMs, timesOf } from "./limits";

/** As it is stored. Times are Unix ms. */
export interface WindowState {
  /** The start that was granted last. */
  lastMs: number;
  /** How many starts have each time as their last moment, in the order of time. */
  counts: [untilMs: number, count: number][];
}

export const NO_STARTS: WindowState = { lastMs: 0, counts: [] };

export class Window {
  readonly #rateLimit: RateLimit;
  #lastMs: number;
  readonly #counts: WindowState["counts"];

  constructor(rateLimit: RateLimit, { lastMs, counts }: WindowState, nowMs: number) {
    this.#rateLimit = rateLimit;
    this.#lastMs = lastMs;
    this.#counts = counts
      .filter(([untilMs]) => untilMs + spanMs(rateLimit) > nowMs)
      .map(([untilMs, count]) => [untilMs, count]);
  }

  get state(): WindowState {
    return { lastMs: this.#lastMs, counts: this.#counts };
  }

  /** The initial state after a change of the limits. The next start still comes after these. */
  get stateForOthers(): WindowState {
    return { lastMs: this.#counts.at(-1)?.[0] ?? 0, counts: this.#counts };
  }

  /** When no start counts any more, Unix ms. */
  get endMs(): number {
    return (this.#counts.at(-1)?.[0] ?? 0) + spanMs(this.#rateLimit);
  }

  /** Returns the first moment at or after `fromMs` (Unix ms) at which the next start is within the limit. */
  nextMs(fromMs: number): number {
    return Math.ceil(Math.max(fromMs, this.#lastMs + shortestGapMs(this.#rateLimit), this.#freeMs));
  }

  /** When fewer than `limit` of the starts count, Unix ms. */
  get #freeMs(): number {
    let left = this.#rateLimit.limit;
    for (const [untilMs, count] of this.#counts.toReversed()) {
      left -= count;
      if (left <= 0) return untilMs + spanMs(this.#rateLimit);
    }
    return 0;
  }

  /** Grants a start at a moment that `nextMs` has returned. It may be made until `latestMs` (Unix ms). */
  take(atMs: number, latestMs: number): void {
    this.#lastMs = atMs;
    this.#count(latestMs);
  }

  #count(latestMs: number): void {
    const key = this.#keyOf(latestMs);
    const before = this.#counts.findLastIndex(([untilMs]) => untilMs <= key);
    const same = this.#counts[before];
    if (same?.[0] === key) same[1] += 1;
    else this.#counts.splice(before + 1, 0, [key, 1]);
  }

  /** Counts a start that was granted until `latestMs` at the time when it was made, or no longer if it was not made. */
  settle({ latestMs, atMs }: Made): void {
    const key = this.#keyOf(latestMs);
    const position = this.#counts.findIndex(([untilMs]) => untilMs === key);
    const found = this.#counts[position];
    if (!found) return;
    found[1] -= 1;
    if (found[1] === 0) this.#counts.splice(position, 1);
    if (atMs !== null) this.#count(atMs);
    else this.#lastMs = Math.min(this.#lastMs, this.#counts.at(-1)?.[0] ?? 0);
  }

  #keyOf(latestMs: number): number {
    const { stepMs } = timesOf(this.#rateLimit);
    return Math.ceil(latestMs / stepMs) * stepMs;
  }
}
