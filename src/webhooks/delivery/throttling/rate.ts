/**
 * The schedule of a rate limit: GCRA without a burst. Each start comes at least a gap after the one before. A start is
 * given only shortly in advance, to a delivery that can make it; every other delivery is told when to come back. Those
 * times are estimates: a delivery that comes back late takes no start from another one.
 */

import type { RateLimit } from "../../options/limit-options";
import { RETURNS_WITHIN_MS } from "../../plane/timing";
import type { Demand, StartAnswer } from "./demand";
import { gapMs } from "./limits";

/** As it is stored. Times are Unix ms, not rounded. */
export interface RateState {
  /** The last start that was given; the next one comes a gap later. */
  lastMs: number;
  /** When the next delivery that cannot start soon should come back, behind all others. */
  lineEndMs: number;
  /** The same for deliveries that have come back a little too early for a start. */
  returnMs: number;
}

export const NO_RATE: RateState = { lastMs: 0, lineEndMs: 0, returnMs: 0 };

/** Deliveries come back a little less often than they may start, so that the starts catch up after a delay. */
const LINE_SLACK = 1.005;

export class Rate {
  /** As it is to be stored. */
  readonly state: RateState;
  readonly #gapMs: number;
  readonly #nowMs: number;

  constructor(rateLimit: RateLimit, state: RateState, nowMs: number) {
    this.state = { ...state };
    this.#gapMs = gapMs(rateLimit);
    this.#nowMs = nowMs;
  }

  /** When nothing depends on the state any more, Unix ms. */
  get endMs(): number {
    return Math.max(this.#nextMs, this.state.lineEndMs, this.state.returnMs);
  }

  /** The earliest next start. */
  get #nextMs(): number {
    return Math.max(this.state.lastMs + this.#gapMs, this.#nowMs);
  }

  /** Gives a delivery a start up to `latestMs` (Unix ms), or says when it should come back. */
  schedule({ priority }: Demand, latestMs: number): StartAnswer {
    const isBehindOthers = priority === "new" && this.state.lineEndMs > this.#nowMs;
    if (!isBehindOthers && Math.ceil(this.#nextMs) <= latestMs) {
      this.state.lastMs = this.#nextMs;
      return { kind: "start", atMs: Math.ceil(this.state.lastMs) };
    }
    return { kind: "wait", untilMs: Math.ceil(this.#whenToReturn(priority)), waitsFor: "start" };
  }

  #whenToReturn(priority: Demand["priority"]): number {
    if (priority === "test") return this.#nextMs;
    const returnMs = Math.max(this.state.returnMs, this.#nextMs);
    if (priority === "returned" && returnMs <= this.#nowMs + RETURNS_WITHIN_MS) {
      this.state.returnMs = returnMs + this.#gapMs;
      return returnMs;
    }
    const atMs = Math.max(this.state.lineEndMs, this.#nextMs);
    this.state.lineEndMs = atMs + this.#gapMs * LINE_SLACK;
    return atMs;
  }
}
