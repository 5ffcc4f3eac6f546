/**
 * The slots of a rate limit. Each has its own time and is given to one delivery. Most wait for theirs in a line: slot after slot, each
 * given when its delivery arrives. A delivery in the line confirms its slot shortly before it. Until then the slot can still be given to
 * a test, or to a delivery that missed its own.
 */
import { gapMs, type RateLimit } from "./limits";

/** Slots of the line are confirmed at most this long before. */
const HOLD_SLOT_MS = 10_000;
/** Other deliveries get a slot that is not further away, or join the line. */
const NEAR_MS = 3_000;

/** As it is stored. */
export interface SlotsState {
  /** The time of slot 0, Unix ms. */
  originMs: number;
  /** The first slot that has not been given to anybody: the end of the line. */
  end: number;
  /** The slots before `end` that are confirmed, so far as they are still to come. */
  taken: number[];
  /** The slots that tests wait for, by delivery. */
  ofTests: Record<string, number>;
}

export const NO_SLOTS: SlotsState = { originMs: 0, end: 0, taken: [], ofTests: {} };

/** A slot. Unless it is taken, the delivery must come back shortly before it. */
export interface Slot {
  atMs: number;
  isTaken: boolean;
}

export class Slots {
  readonly #gapMs: number;
  #originMs: number;
  #end: number;
  readonly #taken: Set<number>;
  readonly #ofTests: Map<string, number>;

  constructor(limit: RateLimit, state: SlotsState) {
    this.#gapMs = gapMs(limit);
    this.#originMs = state.originMs;
    this.#end = state.end;
    this.#taken = new Set(state.taken);
    this.#ofTests = new Map(Object.entries(state.ofTests));
  }

  state(nowMs: number): SlotsState {
    return {
      originMs: this.#originMs,
      end: this.#end,
      taken: [...this.#taken].filter((slot) => this.#timeOf(slot) >= nowMs),
      ofTests: Object.fromEntries([...this.#ofTests].filter(([, slot]) => this.#timeOf(slot) >= nowMs)),
    };
  }

  /** When the line ends, Unix ms. No slot after it has been given. */
  get endMs(): number {
    return this.#timeOf(this.#end);
  }

  /** Makes this the time of the first slot. */
  beginAt(firstMs: number): void {
    this.#originMs = firstMs;
    this.#end = 0;
  }

  /** When the last slot that has been used, or surely will be, begins; Unix ms. -Infinity if there is none. */
  lastUsedMs(nowMs: number): number {
    const passed = Math.min(this.#end, this.#firstFrom(nowMs + 1)) - 1;
    const last = Math.max(passed, ...this.#taken);
    return last < 0 ? -Infinity : this.#timeOf(last);
  }

  /** Whether the line has a slot at this time that is not confirmed yet. */
  has(atMs: number): boolean {
    return this.#unconfirmedAt(atMs) !== undefined;
  }

  /** The next slot at the end of the line, not before `fromMs`. */
  atEnd(fromMs: number, nowMs: number): Slot {
    // The line is empty. Slots begin anew, so that the delivery does not wait for the next one.
    if (this.endMs < fromMs) {
      this.beginAt(fromMs);
      this.#taken.clear();
      this.#ofTests.clear();
    }
    return this.#give(this.#end, nowMs);
  }

  /** The slot of a delivery that was given it in the line; undefined when it is earlier than `fromMs` or another delivery has it. */
  own(atMs: number, fromMs: number, nowMs: number): Slot | undefined {
    const slot = atMs < fromMs ? undefined : this.#unconfirmedAt(atMs);
    if (slot === undefined) return undefined;
    const isTaken = atMs <= nowMs + HOLD_SLOT_MS;
    if (isTaken) this.#taken.add(slot);
    return { atMs, isTaken };
  }

  /** The first slot that nobody has confirmed, ahead of the line, if it is near; otherwise the one at its end. */
  near(fromMs: number, nowMs: number): Slot {
    const slot = this.#firstFree(fromMs);
    return slot >= this.#end || this.#timeOf(slot) > nowMs + NEAR_MS
      ? this.atEnd(fromMs, nowMs)
      : this.#give(slot, nowMs);
  }

  /** The first slot that nobody has confirmed, however far away. A test that has to wait for it keeps it. */
  ofTest(id: string, fromMs: number, nowMs: number): Slot {
    const kept = this.#ofTests.get(id);
    this.#ofTests.delete(id);
    if (kept !== undefined && this.#timeOf(kept) >= fromMs) return this.#keepForTest(id, kept, nowMs);
    const slot = this.#firstFree(fromMs);
    if (slot >= this.#end) this.atEnd(fromMs, nowMs);
    const given = Math.min(slot, this.#end - 1);
    this.#taken.add(given);
    return this.#keepForTest(id, given, nowMs);
  }

  #keepForTest(id: string, slot: number, nowMs: number): Slot {
    const atMs = this.#timeOf(slot);
    const isTaken = atMs <= nowMs + HOLD_SLOT_MS;
    if (!isTaken) this.#ofTests.set(id, slot);
    return { atMs, isTaken };
  }

  #give(slot: number, nowMs: number): Slot {
    this.#end = Math.max(this.#end, slot + 1);
    const atMs = this.#timeOf(slot);
    const isTaken = atMs <= nowMs + NEAR_MS;
    if (isTaken) this.#taken.add(slot);
    return { atMs, isTaken };
  }

  /** Rounded up, so that each slot is exactly a unit and the slack after the one `limit` slots before it. */
  #timeOf(slot: number): number {
    return this.#originMs + Math.ceil(slot * this.#gapMs);
  }

  #firstFrom(fromMs: number): number {
    const slot = Math.max(0, Math.floor((fromMs - this.#originMs) / this.#gapMs));
    return this.#timeOf(slot) >= fromMs ? slot : slot + 1;
  }

  #firstFree(fromMs: number): number {
    let slot = this.#firstFrom(fromMs);
    while (this.#taken.has(slot)) slot += 1;
    return slot;
  }

  #unconfirmedAt(atMs: number): number | undefined {
    for (let slot = this.#firstFrom(atMs); slot < this.#end && this.#timeOf(slot) === atMs; slot += 1) {
      if (!this.#taken.has(slot)) return slot;
    }
    return undefined;
  }
}
