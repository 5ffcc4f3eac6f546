/**
 * When deliveries start under a rate limit. A delivery that cannot start soon joins the line, which says when it comes
 * back.
 */
import type { Answer, Demand, Made } from "./demand";
import { gapMs, type RateLimit, timesOf } from "./limits";
import { Line, type LineState, NO_LINE } from "./line";
import { NO_STARTS, Window, type WindowState } from "./window";

/** A new delivery that can start within this time stays with its consumer. */
const NEAR_MS = 3_000;
/**
 * A delivery that has missed its slot stays if it can start within this time. A longer delay could not be caught up.
 */
const LATE_NEAR_MS = 600;
/** A delivery that comes back for its slot may be early by this much, because the sweep is not exact. */
const COMES_EARLY_MS = 13_000;
/** A start that is kept for a test is forgotten this long after it has passed. */
const FORGOTTEN_TEST_MS = 3_600_000;
/**
 * Promises are remembered if starts are at least this far apart. With more frequent starts they would take much space,
 * and they matter little, because the end of the line is near.
 */
const LONG_GAP_MS = 100;

/** A delivery that a consumer is about to start. */
interface Promised {
  id: string;
  /** The consumer. */
  holder: string;
  /** If it has not started the delivery by then (Unix ms), another one may. */
  untilMs: number;
}

/** As it is stored. */
export interface RateState {
  line: LineState;
  starts: WindowState;
  /** The starts that tests wait for, by delivery. They count as granted, so that no other delivery takes them. */
  ofTests: Record<string, number>;
  /**
   * Deliveries that a consumer is about to start. Another consumer with the same message leaves them alone. Otherwise
   * its demand would move them to the end of the line, which can be an hour away.
   */
  promised: Promised[];
  /** When the last of the deliveries that have missed their slots is expected to start, Unix ms. */
  lateEndMs: number;
}

export const NO_RATE: RateState = { line: NO_LINE, starts: NO_STARTS, ofTests: {}, promised: [], lateEndMs: 0 };

/** When a consumer asks, and how exactly it can start deliveries. */
export interface Caller {
  /** Unix ms. */
  nowMs: number;
  /** How long it needs until it can start what is granted now, in ms. */
  leadMs: number;
  /** How long after the granted moment it may start, in ms. */
  leewayMs: number;
}

export class Rate {
  readonly #gapMs: number;
  readonly #aheadMs: number;
  readonly #leewayMs: number;
  /** The start of a test may be kept for another consumer, whose needs are unknown, so it has the usual leeway. */
  readonly #testLeewayMs: number;
  readonly #remembersPromises: boolean;
  readonly #nowMs: number;
  /** The earliest start. */
  readonly #fromMs: number;
  readonly #line: Line;
  readonly #window: Window;
  readonly #ofTests: Map<string, number>;
  #promised: Promised[];
  #lateEndMs: number;

  constructor(rateLimit: RateLimit, state: RateState, { nowMs, leadMs, leewayMs: needed }: Caller) {
    const { line, starts, ofTests, promised, lateEndMs } = state;
    const { aheadMs, leewayMs } = timesOf(rateLimit);
    this.#gapMs = gapMs(rateLimit);
    this.#aheadMs = aheadMs;
    this.#leewayMs = Math.max(leewayMs, needed);
    this.#testLeewayMs = leewayMs;
    this.#remembersPromises = this.#gapMs >= LONG_GAP_MS;
    this.#lateEndMs = lateEndMs;
    this.#nowMs = nowMs;
    this.#fromMs = nowMs + leadMs;
    this.#line = new Line(rateLimit, line);
    this.#window = new Window(rateLimit, starts, nowMs);
    this.#ofTests = new Map(Object.entries(ofTests).filter(([, atMs]) => atMs > nowMs - FORGOTTEN_TEST_MS));
    this.#promised = promised.filter(({ untilMs }) => untilMs >= nowMs);
  }

  get state(): RateState {
    return {
      line: this.#line.state,
      starts: this.#window.state,
      ofTests: Object.fromEntries(this.#ofTests),
      promised: this.#promised,
      lateEndMs: this.#lateEndMs,
    };
  }

  /** When nothing depends on the state any more, Unix ms. */
  get endMs(): number {
    return Math.max(this.#line.endMs, this.#window.endMs);
  }

  /** The initial state after a change of the limits: an empty line, and the starts that may still be made. */
  get stateForOthers(): RateState {
    this.settle([...this.#ofTests.values()].map((atMs) => ({ latestMs: this.#latestOfTest(atMs), atMs: null })));
    return { ...NO_RATE, starts: this.#window.stateForOthers };
  }

  /** Whether a delivery was given a slot at this time. */
  has(slotAtMs: number): boolean {
    return this.#line.has(slotAtMs);
  }

  /** Notes the outcomes of granted starts. */
  settle(made: readonly Made[]): void {
    for (const start of made) this.#window.settle(start);
  }

  /** Returns when a delivery may start. `holder` names the consumer that asks. */
  timeFor(demand: Demand, holder: string): Answer {
    if (demand.standing === "test") return this.#timeForTest(demand.id);
    const promise = this.#promised.find(({ id }) => id === demand.id);
    if (promise && promise.holder !== holder) return { kind: "taken", untilMs: promise.untilMs };
    const isNew = demand.standing === "new";
    const slotMs = isNew ? this.#line.join(this.#window.nextMs(this.#fromMs)) : this.#ownSlotMs(demand);
    const atMs = this.#window.nextMs(Math.max(slotMs ?? 0, this.#fromMs));
    if (atMs <= this.#nowMs + this.#aheadMs) return this.#grant(atMs, demand.id, holder);
    if (slotMs === null) return this.#late(atMs, demand.id, holder);
    if (atMs <= this.#nowMs + (isNew ? NEAR_MS : COMES_EARLY_MS)) return { kind: "soon", atMs };
    return { kind: "wait", untilMs: atMs < slotMs + this.#gapMs ? slotMs : this.#line.join(atMs), waitsFor: "slot" };
  }

  /** Answers a delivery that has missed its slot and cannot start before `earliestMs` (Unix ms). */
  #late(earliestMs: number, id: string, holder: string): Answer {
    const atMs = Math.ceil(Math.max(earliestMs, this.#lateEndMs + this.#gapMs));
    if (atMs > this.#nowMs + LATE_NEAR_MS) return { kind: "wait", untilMs: this.#line.join(atMs), waitsFor: "slot" };
    this.#lateEndMs = atMs;
    this.#promise({ id, holder, untilMs: atMs + this.#leewayMs });
    return { kind: "soon", atMs };
  }

  #grant(atMs: number, id: string, holder: string): Answer {
    const latestMs = atMs + this.#leewayMs;
    this.#window.take(atMs, latestMs);
    this.#promise({ id, holder, untilMs: latestMs });
    return { kind: "start", atMs, latestMs };
  }

  #promise(promise: Promised): void {
    this.#promised = this.#promised.filter(({ id }) => id !== promise.id);
    if (this.#remembersPromises) this.#promised.push(promise);
  }

  /** The slot that a delivery has in the line; null if it has none or has missed it. */
  #ownSlotMs({ slotAtMs }: Demand): number | null {
    return slotAtMs !== null && slotAtMs >= this.#nowMs && this.#line.has(slotAtMs) ? slotAtMs : null;
  }

  #timeForTest(id: string): Answer {
    const keptMs = this.#ofTests.get(id);
    this.#ofTests.delete(id);
    const isKept = keptMs !== undefined && keptMs >= this.#fromMs;
    if (keptMs !== undefined && !isKept) this.#window.settle({ latestMs: this.#latestOfTest(keptMs), atMs: null });
    const atMs = isKept ? keptMs : this.#window.nextMs(this.#fromMs);
    const latestMs = this.#latestOfTest(atMs);
    if (!isKept) this.#window.take(atMs, latestMs);
    if (atMs <= this.#nowMs + (isKept ? COMES_EARLY_MS : NEAR_MS)) return { kind: "start", atMs, latestMs };
    this.#ofTests.set(id, atMs);
    return { kind: "wait", untilMs: atMs, waitsFor: "slot" };
  }

  #latestOfTest(atMs: number): number {
    return atMs + this.#testLeewayMs;
  }
}
