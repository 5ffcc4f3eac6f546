/** Decides when the deliveries of one limited subscription start. Pure: the Durable Object keeps the state and reads the clock. */
import { gapMs, type Limits, nameOf } from "./limits";
import { NO_SLOTS, type Slot, Slots, type SlotsState } from "./slots";

/**
 * How long a delivery has its place among the concurrent ones, from its start, if its consumer dies. Longer than a send. A consumer that
 * lives releases the place when the send has ended.
 */
export const PLACE_LEASE_MS = 20_000;
/** A test that finds no place comes back so soon, because it goes before the others. */
const TEST_RETURNS_AFTER_MS = 1_000;

/** A delivery that asks for its start. */
export interface Demand {
  id: string;
  /**
   * "test" goes before all others. "back": it has waited in the line, or has missed its slot. "next": it is called to a place that has
   * become free. "new": everything else.
   */
  standing: "test" | "back" | "next" | "new";
  /** The slot that it was given in the line; null without one. */
  slotAtMs: number | null;
}

export type Answer =
  /** It may start exactly then. */
  | { kind: "start"; atMs: number }
  /** It must come back then: shortly before its slot, or to ask for a place. */
  | { kind: "wait"; untilMs: number; waitsFor: "slot" | "place" }
  /** It goes on waiting for the time that it was given before. */
  | { kind: "stay" };

interface Place {
  id: string;
  holder: string;
  /** Unix ms. */
  untilMs: number;
}

export interface GateState {
  /** The limits of the last call; null before the first. */
  limits: Limits | null;
  slots: SlotsState;
  places: Place[];
  /** How many deliveries wait for a place. */
  waiting: number;
  /** When the last of them comes back, if no place that becomes free is given to it before. */
  lastReturnMs: number;
}

export const NEW_GATE: GateState = { limits: null, slots: NO_SLOTS, places: [], waiting: 0, lastReturnMs: 0 };

const ORDER = ["test", "back", "next", "new"] as const satisfies readonly Demand["standing"][];
const rank = ({ standing, slotAtMs }: Demand) => [ORDER.indexOf(standing), slotAtMs ?? 0] as const;

export class Gate {
  readonly #limits: Limits;
  readonly #slots: Slots | null;
  readonly #nowMs: number;
  /** The earliest start. */
  readonly #fromMs: number;
  #places: Place[];
  #waiting: number;
  #lastReturnMs: number;

  /** `leadMs` is how long a consumer needs until it can start what is granted now. */
  constructor(state: GateState, limits: Limits, nowMs: number, leadMs = 0) {
    const isSame = state.limits !== null && nameOf(state.limits) === nameOf(limits);
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#fromMs = nowMs + leadMs;
    this.#places = state.places.filter(({ untilMs }) => untilMs > nowMs);
    // After a change, everything that waits asks again.
    this.#waiting = isSame ? state.waiting : 0;
    this.#lastReturnMs = isSame ? state.lastReturnMs : 0;
    this.#slots = limits.rateLimit ? new Slots(limits.rateLimit, isSame ? state.slots : NO_SLOTS) : null;
    if (!isSame) this.#beginAfter(state);
  }

  /** The first slot under new limits comes after everything that may still start under the old ones. */
  #beginAfter({ limits, slots }: GateState): void {
    if (!this.#limits.rateLimit || !limits?.rateLimit) return;
    const lastMs = new Slots(limits.rateLimit, slots).lastUsedMs(this.#nowMs);
    const firstMs = Math.ceil(lastMs + gapMs(this.#limits.rateLimit));
    if (firstMs > this.#fromMs) this.#slots?.beginAt(firstMs);
  }

  get state(): GateState {
    return {
      limits: this.#limits,
      slots: this.#slots?.state(this.#nowMs) ?? NO_SLOTS,
      places: this.#places,
      waiting: this.#waiting,
      lastReturnMs: this.#lastReturnMs,
    };
  }

  /** From when on the gate may forget everything, Unix ms. */
  get idleFromMs(): number {
    return Math.max(this.#slots?.endMs ?? 0, this.#lastReturnMs, ...this.#places.map(({ untilMs }) => untilMs));
  }

  /** Answers each demand, in the order of `demands`. `holder` names the consumer that will have the places. */
  reserve(demands: readonly Demand[], holder: string): Answer[] {
    const answers: Answer[] = [];
    const inOrder = [...demands.entries()].sort(([, a], [, b]) => {
      const [[standingA, slotA], [standingB, slotB]] = [rank(a), rank(b)];
      return standingA - standingB || slotA - slotB;
    });
    for (const [position, demand] of inOrder) answers[position] = this.#answer(demand, holder);
    return answers;
  }

  /** Frees the places of deliveries that have ended. Returns how many of the waiting ones may be called. */
  release(ids: readonly string[], holder: string): number {
    this.#places = this.#places.filter((place) => place.holder !== holder || !ids.includes(place.id));
    return Math.min(this.#freePlaces, this.#waiting);
  }

  /** Corrects the number of deliveries that wait for a place. */
  setWaiting(count: number): void {
    this.#waiting = count;
    if (count === 0) this.#lastReturnMs = 0;
  }

  get #freePlaces(): number {
    return Math.max(0, (this.#limits.maxConcurrent ?? Infinity) - this.#places.length);
  }

  #answer(demand: Demand, holder: string): Answer {
    const isLimited = this.#limits.maxConcurrent !== undefined;
    const wait = isLimited ? this.#waitForPlace(demand, holder) : undefined;
    if (wait) return wait;
    const { atMs, isTaken } = this.#slotFor(demand);
    if (!isTaken) {
      this.release([demand.id], holder);
      return { kind: "wait", untilMs: atMs, waitsFor: "slot" };
    }
    if (isLimited) this.#occupy(demand, holder, atMs);
    return { kind: "start", atMs };
  }

  #slotFor({ id, standing, slotAtMs }: Demand): Slot {
    const slots = this.#slots;
    if (!slots) return { atMs: this.#nowMs, isTaken: true };
    if (standing === "test") return slots.ofTest(id, this.#fromMs, this.#nowMs);
    if (standing === "new") return slots.atEnd(this.#fromMs, this.#nowMs);
    const own = slotAtMs === null ? undefined : slots.own(slotAtMs, this.#fromMs, this.#nowMs);
    return own ?? slots.near(this.#fromMs, this.#nowMs);
  }

  /** Where a delivery without a place waits; undefined when it may have one. */
  #waitForPlace({ id, standing, slotAtMs }: Demand, holder: string): Answer | undefined {
    const held = this.#places.find((place) => place.id === id);
    if (held?.holder === holder) return undefined;
    if (held) return { kind: "wait", untilMs: held.untilMs, waitsFor: "place" };
    if (this.#freePlaces > 0 && (standing !== "new" || this.#waiting === 0)) return undefined;
    if (standing === "next") return { kind: "stay" };
    if (standing === "test") return { kind: "wait", untilMs: this.#nowMs + TEST_RETURNS_AFTER_MS, waitsFor: "place" };
    // A delivery that comes for its slot has not waited for a place before.
    if (standing === "new" || (slotAtMs !== null && this.#slots?.has(slotAtMs))) this.#waiting += 1;
    const longestMs = PLACE_LEASE_MS / (this.#limits.maxConcurrent ?? 1);
    this.#lastReturnMs = Math.ceil(Math.max(this.#lastReturnMs, this.#nowMs) + longestMs);
    return { kind: "wait", untilMs: this.#lastReturnMs, waitsFor: "place" };
  }

  #occupy({ id, standing }: Demand, holder: string, startMs: number): void {
    this.#places = this.#places.filter((place) => place.id !== id);
    this.#places.push({ id, holder, untilMs: startMs + PLACE_LEASE_MS });
    if (standing === "back" || standing === "next") this.#waiting = Math.max(0, this.#waiting - 1);
  }
}
