/**
 * Decides when the deliveries of one limited subscription start. Pure: the Durable Object keeps the state and reads the
 * clock.
 */
import type { Answer, Demand, Made } from "./demand";
import { type Limits, nameOf } from "./limits";
import { NO_PLACES, Places, type PlacesState } from "./places";
import { type Caller, NO_RATE, Rate, type RateState } from "./rate";

export interface GateState {
  /** The limits of the last call; null before the first. */
  limits: Limits | null;
  rate: RateState;
  places: PlacesState;
}

export const NEW_GATE: GateState = { limits: null, rate: NO_RATE, places: NO_PLACES };

const ORDER = ["test", "back", "next", "new"] as const satisfies readonly Demand["standing"][];
const rank = ({ standing, slotAtMs }: Demand) => [ORDER.indexOf(standing), slotAtMs ?? 0] as const;

export class Gate {
  readonly #limits: Limits;
  readonly #rate: Rate | null;
  readonly #places: Places;
  readonly #nowMs: number;

  constructor(
    { limits: before, rate, places }: GateState,
    limits: Limits,
    given: Pick<Caller, "nowMs"> & Partial<Caller>,
  ) {
    const caller = { leadMs: 0, leewayMs: 0, ...given };
    const { nowMs } = caller;
    const isSame = before !== null && nameOf(before) === nameOf(limits);
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#places = new Places(limits.maxConcurrent ?? Infinity, places, nowMs);
    if (!isSame) this.#places.forgetWaiting();
    const { rateLimit } = limits;
    const known = isSame || !before?.rateLimit ? rate : new Rate(before.rateLimit, rate, caller).stateForOthers;
    this.#rate = rateLimit ? new Rate(rateLimit, known, caller) : null;
  }

  get state(): GateState {
    return { limits: this.#limits, rate: this.#rate?.state ?? NO_RATE, places: this.#places.state };
  }

  /** When the gate may forget everything, Unix ms. */
  get idleFromMs(): number {
    return Math.max(this.#rate?.endMs ?? 0, this.#places.endMs);
  }

  /** Answers each demand, in the order of `demands`. `holder` names the consumer that will hold the places. */
  reserve(demands: readonly Demand[], holder: string): Answer[] {
    const answers: Answer[] = [];
    const inOrder = [...demands.entries()].sort(([, a], [, b]) => {
      const [[standingA, slotA], [standingB, slotB]] = [rank(a), rank(b)];
      return standingA - standingB || slotA - slotB;
    });
    for (const [position, demand] of inOrder) answers[position] = this.#answer(demand, holder);
    return answers;
  }

  /** Notes the outcomes of granted starts. */
  settle(made: readonly Made[]): void {
    this.#rate?.settle(made);
  }

  /** Frees the places of deliveries that have ended. Returns how many waiting deliveries may be called. */
  release(ids: readonly string[], holder: string): number {
    return this.#places.release(ids, holder);
  }

  /** Corrects the number of deliveries that wait for a place. */
  setWaiting(count: number): void {
    this.#places.setWaiting(count);
  }

  #answer(demand: Demand, holder: string): Answer {
    const isLimited = this.#limits.maxConcurrent !== undefined;
    const isFirst = demand.standing === "new" || this.#comesForSlot(demand);
    const wait = isLimited ? this.#places.waitFor(demand, holder, isFirst) : undefined;
    if (wait) return wait;
    const answer = this.#rate?.timeFor(demand, holder) ?? this.#startNow();
    if (answer.kind === "wait") this.release([demand.id], holder);
    else if (isLimited && "atMs" in answer) this.#places.occupy(demand, holder, answer.atMs, isFirst);
    return answer;
  }

  /** Whether a delivery comes back for its slot. Then it has not waited for a place before. */
  #comesForSlot({ standing, slotAtMs }: Demand): boolean {
    return standing === "back" && slotAtMs !== null && (this.#rate?.has(slotAtMs) ?? false);
  }

  #startNow(): Answer {
    return { kind: "start", atMs: this.#nowMs, latestMs: Infinity };
  }
}
