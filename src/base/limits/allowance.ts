/** The units of one limit that an isolate uses without asking the Durable Object. */
import { allowanceUnits, type Rule } from "./rules";
import type { WindowEntry } from "./window";

/** Tells the end of its window from those of blocks, which are whole. */
const MARK = 0.5;

export class Allowance {
  /** When its window ends, in Unix ms and with the mark. */
  #endsAtMs = 0;
  #used = 0;
  /** How many of the used units no call has told of. */
  untold = 0;

  constructor(private readonly rule: Rule) {}

  /** Uses `units` if there are so many left in the window. Returns when they leave it (Unix ms), otherwise null. */
  take(units: number, nowMs: number): number | null {
    if (nowMs >= this.#endsAtMs || this.#endsAtMs > nowMs + this.rule.windowSeconds * 1000 + 1) {
      this.#endsAtMs = nowMs + this.rule.windowSeconds * 1000 + MARK;
      [this.#used, this.untold] = [0, 0];
    }
    if (this.#used + units > allowanceUnits(this.rule)) return null;
    this.#used += units;
    this.untold += units;
    return this.#endsAtMs;
  }

  /** Takes back unused units. Returns false for those of somebody else. What was told counts until it leaves. */
  takeBack({ leavesAtMs, units }: WindowEntry): boolean {
    if (Number.isInteger(leavesAtMs)) return false;
    if (leavesAtMs === this.#endsAtMs && units <= this.untold) {
      this.#used -= units;
      this.untold -= units;
    }
    return true;
  }

  /** Returns the units to tell of now. */
  tell(): number {
    const { untold } = this;
    this.untold = 0;
    return untold;
  }

  /** Keeps units that were not told after all. */
  keep(units: number): void {
    this.untold += units;
  }
}
