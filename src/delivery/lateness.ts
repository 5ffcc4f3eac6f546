/**
 * How much later than granted an isolate starts deliveries: on a busy machine, timers and answers come late. The leeway follows what is
 * missed, so that few starts are. What a start does not need of it is given back to its gate.
 */
const FIRST_MS = 20;
const LONGEST_MS = 1_000;
const GROWTH = 2;
const DECAY = 0.95;

export class Lateness {
  #leewayMs = 0;

  /** The leeway that a start needs here, in ms. */
  get leewayMs(): number {
    return Math.ceil(this.#leewayMs);
  }

  noteMissed(): void {
    this.#leewayMs = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#leewayMs * GROWTH));
  }

  noteMade(): void {
    this.#leewayMs *= DECAY;
  }
}
