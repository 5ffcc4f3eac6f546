/**
 * Decides when the deliveries of one limited subscription start. A delivery first joins the line, which says when it should come back, and
 * is granted its start when it is ready. Pure: the Durable Object keeps the state and reads the clock.
 */
import { type Limits, leewayMs, nameOf } from "./limits";
import { Line, type LineState, NO_LINE } from "./line";
import { Window, type WindowState } from "./window";

/**
 * How long a delivery has its place among the concurrent ones, from its start, if its consumer dies. Longer than a send. A consumer that
 * lives releases the place when the send has ended.
 */
export const PLACE_LEASE_MS = 20_000;
/** A test that finds no place comes back so soon, because it goes before the others. */
const TEST_RETURNS_AFTER_MS = 1_000;
/** A delivery that should start within this time stays with its consumer. */
const NEAR_MS = 3_000;
/** One that comes back for its slot may be early by this much, because the sweep is not exact. */
const COMES_EARLY_MS = 13_000;
/** A granted start is at least this far away, for the answer and the signature. */
const LEAD_MS = 10;

/** A delivery that asks for its start. */
export interface Demand {
  id: string;
  /**
   * "test" goes before all others. "back": it has waited in the line. "next": it is called to a place that has become free. "new":
   * everything else.
   */
  standing: "test" | "back" | "next" | "new";
  /** The slot that it was given in the line; null without one. */
  slotAtMs: number | null;
  /** Set when its consumer can send it at once; otherwise it only asks when to come back. */
  ready?: Ready | undefined;
}

interface Ready {
  /** A start after this is of no use to the consumer, Unix ms. */
  beforeMs: number;
  /** How long after the granted moment the consumer may need, in ms. */
  leewayMs: number;
}

/** What has become of a start that was granted until `latestMs`: when it was made; null if it was missed. Times are Unix ms. */
export interface Made {
  latestMs: number;
  atMs: number | null;
}

/** Times are Unix ms. */
export type Answer =
  /** It may start between the two moments. */
  | { kind: "start"; atMs: number; latestMs: number }
  /** Its consumer keeps it, and asks for the start when it is ready, about then. */
  | { kind: "soon"; atMs: number }
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
  line: LineState;
  window: WindowState;
  /** The starts that tests were granted ahead of time, by delivery: until when each counts in the window. */
  ofTests: Record<string, number>;
  places: Place[];
  /** How many deliveries wait for a place. */
  waiting: number;
  /** When the last of them comes back, if no place that becomes free is given to it before. */
  lastReturnMs: number;
}

export const NEW_GATE: GateState = {
  limits: null,
  line: NO_LINE,
  window: [],
  ofTests: {},
  places: [],
  waiting: 0,
  lastReturnMs: 0,
};

const ORDER = ["test", "back", "next", "new"] as const satisfies readonly Demand["standing"][];
const rank = ({ standing, slotAtMs }: Demand) => [ORDER.indexOf(standing), slotAtMs ?? 0] as const;

/** The line and the window of a rate limit. */
interface Rate {
  line: Line;
  window: Window;
  leewayMs: number;
}

export class Gate {
  readonly #limits: Limits;
  readonly #rate: Rate | null;
  readonly #nowMs: number;
  readonly #ofTests: Map<string, number>;
  #places: Place[];
  #waiting: number;
  #lastReturnMs: number;

  constructor(state: GateState, limits: Limits, nowMs: number) {
    const isSame = state.limits !== null && nameOf(state.limits) === nameOf(limits);
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#places = state.places.filter(({ untilMs }) => untilMs > nowMs);
    // After a change, everything that waits asks again. What has started under the old limits still counts.
    this.#waiting = isSame ? state.waiting : 0;
    this.#lastReturnMs = isSame ? state.lastReturnMs : 0;
    this.#ofTests = new Map(Object.entries(state.ofTests).filter(([, untilMs]) => untilMs > nowMs));
    const { rateLimit } = limits;
    this.#rate = rateLimit
      ? {
          line: new Line(rateLimit, isSame ? state.line : NO_LINE),
          window: new Window(rateLimit, state.window, nowMs),
          leewayMs: leewayMs(rateLimit),
        }
      : null;
  }

  get state(): GateState {
    return {
      limits: this.#limits,
      line: this.#rate?.line.state ?? NO_LINE,
      window: this.#rate?.window.state ?? [],
      ofTests: Object.fromEntries(this.#ofTests),
      places: this.#places,
      waiting: this.#waiting,
      lastReturnMs: this.#lastReturnMs,
    };
  }

  /** From when on the gate may forget everything, Unix ms. */
  get idleFromMs(): number {
    const ofRate = this.#rate ? [this.#rate.line.endMs, this.#rate.window.endMs] : [];
    return Math.max(...ofRate, this.#lastReturnMs, ...this.#places.map(({ untilMs }) => untilMs));
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

  /** Counts starts from when they were made, and those that were missed not at all. */
  note(made: readonly Made[]): void {
    for (const { latestMs, atMs } of made) {
      this.#rate?.window.giveBack(latestMs);
      if (atMs !== null) this.#rate?.window.take(atMs);
    }
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
    const answer = this.#rate ? this.#timeFor(demand, this.#rate) : this.#startNow();
    if (answer.kind === "wait") this.release([demand.id], holder);
    else if (isLimited && "atMs" in answer) this.#occupy(demand, holder, answer.atMs);
    return answer;
  }

  #startNow(): Answer {
    return { kind: "start", atMs: this.#nowMs, latestMs: Infinity };
  }

  /** When a delivery may start because of the rate limit. */
  #timeFor(demand: Demand, rate: Rate): Answer {
    const kept = demand.standing === "test" ? this.#keptForTest(demand.id, rate) : undefined;
    if (demand.ready) return kept ? this.#takeKept(demand.id, kept) : this.#start(demand, demand.ready, rate);
    const atMs = kept?.atMs ?? this.#planned(demand, rate);
    const nearMs = atMs === demand.slotAtMs ? COMES_EARLY_MS : NEAR_MS;
    if (demand.standing === "test" && !kept) this.#keepForTest(demand.id, atMs, rate);
    return atMs <= this.#nowMs + nearMs ? { kind: "soon", atMs } : { kind: "wait", untilMs: atMs, waitsFor: "slot" };
  }

  #planned({ standing, slotAtMs }: Demand, { line, window }: Rate): number {
    const earliestMs = window.earliestMs(this.#nowMs);
    if (standing === "test") return earliestMs;
    if (standing !== "new" && slotAtMs !== null && slotAtMs >= earliestMs && line.has(slotAtMs)) return slotAtMs;
    return standing !== "new" && earliestMs <= this.#nowMs + NEAR_MS ? earliestMs : line.join(earliestMs);
  }

  #start(demand: Demand, { beforeMs, leewayMs: needed }: Ready, rate: Rate): Answer {
    const atMs = Math.max(demand.slotAtMs ?? 0, rate.window.earliestMs(this.#nowMs + LEAD_MS));
    if (atMs > beforeMs) {
      const isTest = demand.standing === "test";
      if (isTest) this.#keepForTest(demand.id, atMs, rate);
      const untilMs = isTest || atMs <= this.#nowMs + NEAR_MS ? atMs : rate.line.join(atMs);
      return { kind: "wait", untilMs, waitsFor: "slot" };
    }
    const latestMs = atMs + Math.max(rate.leewayMs, needed);
    rate.window.take(latestMs);
    return { kind: "start", atMs, latestMs };
  }

  /** The start for which a test waits counts from now on, so that nothing passes the test. */
  #keepForTest(id: string, atMs: number, { window, leewayMs: leeway }: Rate): void {
    this.#ofTests.set(id, atMs + leeway);
    window.take(atMs + leeway);
  }

  /** The start that is kept for a test, unless that has passed. */
  #keptForTest(id: string, { window, leewayMs: leeway }: Rate): { atMs: number; latestMs: number } | undefined {
    const latestMs = this.#ofTests.get(id);
    if (latestMs === undefined) return undefined;
    if (latestMs >= this.#nowMs + LEAD_MS) return { atMs: latestMs - leeway, latestMs };
    this.#ofTests.delete(id);
    window.giveBack(latestMs);
    return undefined;
  }

  #takeKept(id: string, kept: { atMs: number; latestMs: number }): Answer {
    this.#ofTests.delete(id);
    return { kind: "start", ...kept };
  }

  /** Whether a delivery comes for its slot, so that it has not waited for a place before. */
  #comesForSlot({ slotAtMs }: Demand): boolean {
    return slotAtMs !== null && (this.#rate?.line.has(slotAtMs) ?? false);
  }

  /** Where a delivery without a place waits; undefined when it may have one. */
  #waitForPlace(demand: Demand, holder: string): Answer | undefined {
    const { id, standing } = demand;
    const held = this.#places.find((place) => place.id === id);
    if (held?.holder === holder) return undefined;
    if (held) return { kind: "wait", untilMs: held.untilMs, waitsFor: "place" };
    if (this.#freePlaces > 0 && (standing !== "new" || this.#waiting === 0)) return undefined;
    if (standing === "next") return { kind: "stay" };
    if (standing === "test") return { kind: "wait", untilMs: this.#nowMs + TEST_RETURNS_AFTER_MS, waitsFor: "place" };
    if (standing === "new" || this.#comesForSlot(demand)) this.#waiting += 1;
    const longestMs = PLACE_LEASE_MS / (this.#limits.maxConcurrent ?? 1);
    this.#lastReturnMs = Math.ceil(Math.max(this.#lastReturnMs, this.#nowMs) + longestMs);
    return { kind: "wait", untilMs: this.#lastReturnMs, waitsFor: "place" };
  }

  #occupy(demand: Demand, holder: string, startMs: number): void {
    const { id, standing } = demand;
    const isNew = !this.#places.some((place) => place.id === id);
    this.#places = this.#places.filter((place) => place.id !== id);
    this.#places.push({ id, holder, untilMs: startMs + PLACE_LEASE_MS });
    const hasWaited = standing === "next" || (standing === "back" && !this.#comesForSlot(demand));
    if (isNew && hasWaited) this.#waiting = Math.max(0, this.#waiting - 1);
  }
}
