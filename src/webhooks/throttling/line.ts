/** The line of a rate limit: its slots say when each waiting delivery should come back for its start. */
import { gapMs, type RateLimit } from "./limits";

/** As it is stored. */
export interface LineState {
  /** The time of slot 0, Unix ms. */
  originMs: number;
  /** The first free slot: the end of the line. */
  end: number;
}

export const NO_LINE: LineState = { originMs: 0, end: 0 };

export class Line {
  readonly #gapMs: number;
  #originMs: number;
  #end: number;

  constructor(limit: RateLimit, { originMs, end }: LineState) {
    this.#gapMs = gapMs(limit);
    this.#originMs = originMs;
    this.#end = end;
  }

  get state(): LineState {
    return { originMs: this.#originMs, end: this.#end };
  }

  /** When the line ends, Unix ms. No slot after it has been given. */
  get endMs(): number {
    return this.#timeOf(this.#end);
  }

  /**
   * Gives out the slot at the end of the line. A line that has ended begins anew at `fromMs` (Unix ms), without a wait.
   */
  join(fromMs: number): number {
    if (this.endMs < fromMs) {
      this.#originMs = fromMs;
      this.#end = 0;
    }
    this.#end += 1;
    return this.#timeOf(this.#end - 1);
  }

  /** Whether a delivery was given a slot at this time. */
  has(atMs: number): boolean {
    const slot = Math.floor((atMs - this.#originMs) / this.#gapMs);
    return atMs < this.endMs && [slot, slot + 1].some((near) => near >= 0 && this.#timeOf(near) === atMs);
  }

  /** The time of a slot. Rounded up, so that `limit` slots span at least a unit and the margin. */
  #timeOf(slot: number): number {
    return this.#originMs + Math.ceil(slot * this.#gapMs);
  }
}
