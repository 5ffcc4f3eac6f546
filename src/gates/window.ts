/**
 * The starts that a gate has granted lately. A start counts from the last moment at which it may be made, and one that was missed is given
 * back. So a machine that is too busy to start in time makes the rate a little lower, but never higher than the limit.
 */
import { type RateLimit, spanMs, stepMs } from "./limits";

/** As it is stored: how many starts may be made until each moment (Unix ms). */
export type WindowState = [untilMs: number, count: number][];

export class Window {
  readonly #limit: number;
  readonly #spanMs: number;
  readonly #stepMs: number;
  /** In the order of time. */
  readonly #counts: WindowState;

  constructor(rateLimit: RateLimit, state: WindowState, nowMs: number) {
    this.#limit = rateLimit.limit;
    this.#spanMs = spanMs(rateLimit);
    this.#stepMs = stepMs(rateLimit);
    this.#counts = state
      .filter(([untilMs]) => untilMs + this.#spanMs > nowMs)
      .map(([untilMs, count]) => [untilMs, count]);
  }

  get state(): WindowState {
    return this.#counts;
  }

  /** From when on nothing of it counts any more, Unix ms. */
  get endMs(): number {
    return (this.#counts.at(-1)?.[0] ?? 0) + this.#spanMs;
  }

  /** Returns the first moment from `fromMs` (Unix ms) on at which one more start is within the limit. */
  earliestMs(fromMs: number): number {
    let left = this.#limit;
    for (const [untilMs, count] of this.#counts.toReversed()) {
      left -= count;
      if (left <= 0) return Math.max(fromMs, untilMs + this.#spanMs);
    }
    return fromMs;
  }

  /** Counts a start that may be made until `untilMs` (Unix ms). */
  take(untilMs: number): void {
    const key = this.#keyOf(untilMs);
    const before = this.#counts.findLastIndex(([otherMs]) => otherMs <= key);
    const same = this.#counts[before];
    if (same?.[0] === key) same[1] += 1;
    else this.#counts.splice(before + 1, 0, [key, 1]);
  }

  /** Forgets a start that was not made. */
  giveBack(untilMs: number): void {
    const key = this.#keyOf(untilMs);
    const at = this.#counts.findIndex(([otherMs]) => otherMs === key);
    const found = this.#counts[at];
    if (!found) return;
    found[1] -= 1;
    if (found[1] === 0) this.#counts.splice(at, 1);
  }

  #keyOf(untilMs: number): number {
    return Math.ceil(untilMs / this.#stepMs) * this.#stepMs;
  }
}
