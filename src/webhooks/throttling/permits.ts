/** The permits of a concurrency limit: each delivery in progress has one. They are exact, and each has a lease. */
import { PERMIT_LEASE_MS } from "../delivery/timing";

interface Permit {
  /** The delivery. */
  id: string;
  /** The run that has it; null for a delivery that was called to it and has not come yet. */
  holder: string | null;
  /** Unix ms. */
  untilMs: number;
}

/** As it is stored. */
export interface PermitState {
  permits: Permit[];
  /** When the delivery that was refused last comes back, unless it is called earlier; Unix ms. */
  lastReturnMs: number;
}

export const NO_PERMITS: PermitState = { permits: [], lastReturnMs: 0 };

export class Permits {
  readonly #most: number;
  readonly #nowMs: number;
  #permits: Permit[];
  #lastReturnMs: number;

  /** `most` is the number of permits. */
  constructor(most: number, { permits, lastReturnMs }: PermitState, nowMs: number) {
    this.#most = most;
    this.#nowMs = nowMs;
    this.#permits = permits.filter(({ untilMs }) => untilMs > nowMs);
    this.#lastReturnMs = this.#permits.length === 0 ? 0 : lastReturnMs;
  }

  get state(): PermitState {
    return { permits: this.#permits, lastReturnMs: this.#lastReturnMs };
  }

  /** When nothing depends on the state any more, Unix ms. */
  get endMs(): number {
    return Math.max(0, ...this.#permits.map(({ untilMs }) => untilMs));
  }

  /** Ends the permits of deliveries that `holder` had. */
  end(ids: readonly string[], holder: string): void {
    this.#permits = this.#permits.filter((permit) => permit.holder !== holder || !ids.includes(permit.id));
  }

  /** Keeps free permits for waiting deliveries that the caller calls. */
  keepFor(ids: readonly string[]): void {
    for (const id of ids) if (this.waitFor(id, null) === null) this.take(id, null, this.#nowMs);
  }

  /** Returns null if the delivery may have a permit now, or else when it should come back (Unix ms). */
  waitFor(id: string, holder: string | null): number | null {
    const own = this.#permits.find((permit) => permit.id === id);
    if (own) return own.holder === holder || own.holder === null ? null : own.untilMs;
    if (this.#permits.length < this.#most) return null;
    // As often as permits of dead runs could become free.
    this.#lastReturnMs = Math.ceil(Math.max(this.#lastReturnMs, this.#nowMs) + PERMIT_LEASE_MS / this.#most);
    return this.#lastReturnMs;
  }

  /** Gives a permit to a delivery that starts at `startMs` (Unix ms). */
  take(id: string, holder: string | null, startMs: number): void {
    this.#permits = this.#permits.filter((permit) => permit.id !== id);
    this.#permits.push({ id, holder, untilMs: startMs + PERMIT_LEASE_MS });
  }

  /** Takes back the permit of a delivery that cannot start yet. */
  drop(id: string): void {
    this.#permits = this.#permits.filter((permit) => permit.id !== id);
  }
}
