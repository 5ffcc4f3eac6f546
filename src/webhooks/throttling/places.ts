/** The places of a concurrency limit: each delivery in progress has one. */
import type { Answer, Demand } from "./demand";

/**
 * How long a delivery keeps its place, from its start, if its consumer dies. Longer than a send. A consumer that is
 * alive releases the place when the send has ended.
 */
export const PLACE_LEASE_MS = 20_000;
/** A test that finds no place comes back this soon, because it goes before the other deliveries. */
const TEST_RETURNS_AFTER_MS = 1_000;

interface Place {
  id: string;
  holder: string;
  /** Unix ms. */
  untilMs: number;
}

/** As it is stored. */
export interface PlacesState {
  places: Place[];
  /** How many deliveries wait for a place. */
  waiting: number;
  /** When the last of them comes back, unless it gets a free place earlier. */
  lastReturnMs: number;
}

export const NO_PLACES: PlacesState = { places: [], waiting: 0, lastReturnMs: 0 };

export class Places {
  readonly #most: number;
  readonly #nowMs: number;
  #places: Place[];
  #waiting: number;
  #lastReturnMs: number;

  /** `most` is the number of places. */
  constructor(most: number, { places, waiting, lastReturnMs }: PlacesState, nowMs: number) {
    this.#most = most;
    this.#nowMs = nowMs;
    this.#places = places.filter(({ untilMs }) => untilMs > nowMs);
    this.#waiting = waiting;
    this.#lastReturnMs = lastReturnMs;
  }

  get state(): PlacesState {
    return { places: this.#places, waiting: this.#waiting, lastReturnMs: this.#lastReturnMs };
  }

  /** When nothing depends on the places any more, Unix ms. */
  get endMs(): number {
    return Math.max(this.#lastReturnMs, ...this.#places.map(({ untilMs }) => untilMs));
  }

  /** Forgets the waiting deliveries after a change of the limits. Each of them asks again. */
  forgetWaiting(): void {
    this.setWaiting(0);
    this.#lastReturnMs = 0;
  }

  /** Corrects the number of deliveries that wait for a place. */
  setWaiting(count: number): void {
    this.#waiting = count;
    if (count === 0) this.#lastReturnMs = 0;
  }

  /** Frees the places of deliveries. Returns how many waiting deliveries may be called. */
  release(ids: readonly string[], holder: string): number {
    this.#places = this.#places.filter((place) => place.holder !== holder || !ids.includes(place.id));
    return Math.min(this.#free, this.#waiting);
  }

  get #free(): number {
    return Math.max(0, this.#most - this.#places.length);
  }

  /**
   * Returns how a delivery waits for a place; undefined when it may have one. `isFirst`: it has not waited for a place
   * before.
   */
  waitFor({ id, standing }: Demand, holder: string, isFirst: boolean): Answer | undefined {
    const held = this.#places.find((place) => place.id === id);
    if (held?.holder === holder) return undefined;
    if (held) return { kind: "wait", untilMs: held.untilMs, waitsFor: "place" };
    if (this.#free > 0 && (standing !== "new" || this.#waiting === 0)) return undefined;
    if (standing === "next") return { kind: "stay" };
    if (standing === "test") return { kind: "wait", untilMs: this.#nowMs + TEST_RETURNS_AFTER_MS, waitsFor: "place" };
    if (isFirst) this.#waiting += 1;
    this.#lastReturnMs = Math.ceil(Math.max(this.#lastReturnMs, this.#nowMs) + PLACE_LEASE_MS / this.#most);
    return { kind: "wait", untilMs: this.#lastReturnMs, waitsFor: "place" };
  }

  /** Gives a place to a delivery that starts at `startMs` (Unix ms). */
  occupy({ id, standing }: Demand, holder: string, startMs: number, isFirst: boolean): void {
    const isNew = !this.#places.some((place) => place.id === id);
    this.#places = this.#places.filter((place) => place.id !== id);
    this.#places.push({ id, holder, untilMs: startMs + PLACE_LEASE_MS });
    if (isNew && standing !== "test" && !isFirst) this.#waiting = Math.max(0, this.#waiting - 1);
  }
}
