/** The permits of a concurrency limit: each delivery in progress has one. They are exact, and each has a lease. */
import { PERMIT_LEASE_MS } from "../../plane/timing";

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
  /** As it is to be stored. */
  readonly state: PermitState;
  readonly #most: number;
  readonly #nowMs: number;

  /** `most` is the number of permits. */
  constructor(most: number, { permits, lastReturnMs }: PermitState, nowMs: number) {
    const inForce = permits.filter(({ untilMs }) => untilMs > nowMs);
    this.state = { permits: inForce, lastReturnMs: inForce.length === 0 ? 0 : lastReturnMs };
    this.#most = most;
    this.#nowMs = nowMs;
  }

  /** When nothing depends on the state any more, Unix ms. */
  get endMs(): number {
    return Math.max(0, ...this.state.permits.map(({ untilMs }) => untilMs));
  }

  /** Ends the permits of deliveries that `holder` had. */
  end(ids: readonly string[], holder: string): void {
    this.state.permits = this.state.permits.filter((permit) => permit.holder !== holder || !ids.includes(permit.id));
  }

  /** Keeps free permits for waiting deliveries that the caller calls. */
  keepFor(ids: readonly string[]): void {
    for (const id of ids) if (this.waitFor(id, null) === null) this.take(id, null, this.#nowMs);
  }

  /** Returns null if the delivery may have a permit now, or else when it should come back (Unix ms). */
  waitFor(id: string, holder: string | null): number | null {
    const own = this.state.permits.find((permit) => permit.id === id);
    if (own) return own.holder === holder || own.holder === null ? null : own.untilMs;
    if (this.state.permits.length < this.#most) return null;
    // As often as permits of dead runs could become free.
    this.state.lastReturnMs = Math.ceil(Math.max(this.state.lastReturnMs, this.#nowMs) + PERMIT_LEASE_MS / this.#most);
    return this.state.lastReturnMs;
  }

  /** Gives a permit to a delivery that starts at `startMs` (Unix ms). */
  take(id: string, holder: string | null, startMs: number): void {
    this.state.permits = this.state.permits.filter((permit) => permit.id !== id);
    this.state.permits.push({ id, holder, untilMs: startMs + PERMIT_LEASE_MS });
  }

  /** Takes back the permit of a delivery that cannot start yet. */
  drop(id: string): void {
    this.state.permits = this.state.permits.filter((permit) => permit.id !== id);
  }
}
