/**
 * Decides when the deliveries of one limited subscription start. Pure: the Durable Object keeps the state and reads the
 * clock.
 */
import type { Asked, Demand, StartAnswer } from "./demand";
import { type Limits, textOf } from "./limits";
import { NO_PERMITS, type PermitState, Permits } from "./permits";
import { NO_RATE, Rate, type RateState } from "./rate";

/** As it is stored. */
export interface ScheduleState {
  /** The limits of the last call; null before the first. */
  limits: Limits | null;
  rate: RateState;
  permits: PermitState;
}

export const NEW_SCHEDULE: ScheduleState = { limits: null, rate: NO_RATE, permits: NO_PERMITS };

const ORDER = ["test", "returned", "new"] as const satisfies readonly Demand["priority"][];

export class Schedule {
  readonly #limits: Limits;
  readonly #rate: Rate | null;
  readonly #permits: Permits | null;

  constructor({ limits: before, rate, permits }: ScheduleState, limits: Limits, nowMs: number) {
    const isSame = before === null || textOf(before) === textOf(limits);
    // A change of the limits ends all waits, but the starts that were given before it count.
    const known = isSame ? rate : { ...NO_RATE, lastMs: rate.lastMs };
    this.#limits = limits;
    this.#rate = limits.rateLimit ? new Rate(limits.rateLimit, known, nowMs) : null;
    this.#permits = limits.maxConcurrent === undefined ? null : new Permits(limits.maxConcurrent, permits, nowMs);
  }

  get state(): ScheduleState {
    return {
      limits: this.#limits,
      rate: this.#rate?.state ?? NO_RATE,
      permits: this.#permits?.state ?? NO_PERMITS,
    };
  }

  /** When everything may be forgotten, Unix ms. */
  get endMs(): number {
    return Math.max(this.#rate?.endMs ?? 0, this.#permits?.endMs ?? 0);
  }

  /** Answers each demand, in the order of `demands`. */
  answer({ demands, ended, called, holder, latestMs }: Asked): StartAnswer[] {
    this.#permits?.end(ended, holder);
    this.#permits?.keepFor(called);
    const answers: StartAnswer[] = [];
    const inOrder = [...demands.entries()].sort(
      ([, a], [, b]) => ORDER.indexOf(a.priority) - ORDER.indexOf(b.priority),
    );
    for (const [position, demand] of inOrder) answers[position] = this.#answer(demand, holder, latestMs);
    return answers;
  }

  #answer(demand: Demand, holder: string, latestMs: number): StartAnswer {
    const untilMs = this.#permits?.waitFor(demand.id, holder) ?? null;
    if (untilMs !== null) return { kind: "wait", untilMs, waitsFor: "permit" };
    const answer: StartAnswer = this.#rate?.schedule(demand, latestMs) ?? { kind: "start", atMs: 0 };
    if (answer.kind === "start") this.#permits?.take(demand.id, holder, Math.max(answer.atMs, latestMs));
    else this.#permits?.drop(demand.id);
    return answer;
  }
}
