/** The calls of one run to the gates of its limited subscriptions. */
import type { Deps } from "../deps";
import type { Answer, Demand, Made } from "../gates/gate";
import type { Limits } from "../gates/limits";
import { describeError, log } from "../log";
import { Lateness } from "./lateness";
import type { LimitedDelivery } from "./line-store";
import { GATE_TIMEOUT_MS } from "./timing";

/** Leeway up to this is not given back, in ms: most starts need as much. */
const LEEWAY_WORTH_RETURNING_MS = 20;
/** How long a gate is not told of a start, in ms, because the next call can carry it. */
const TELL_AFTER_MS = 50;
/** Of this isolate. */
const lateness = new Lateness();

/** The leave of a gate to start a delivery between two moments, Unix ms. */
export interface Leave {
  atMs: number;
  latestMs: number;
}

/** A delivery with what its gate must know. */
type Asker = LimitedDelivery & Pick<Demand, "standing" | "ready">;

export class GateCalls {
  readonly #deps: Deps;
  readonly #holder: string;
  readonly #inBackground: (what: string, work: Promise<void>) => void;
  /** The deliveries that are ready and wait for the answer of a gate, by subscription. */
  readonly #ready = new Map<string, { asker: Asker; resolve: (answer: Answer | null) => void }[]>();
  /** The starts that gates are to be told of, by subscription. */
  readonly #made = new Map<string, Made[]>();

  /** `holder` names the run to the gates. */
  constructor(deps: Deps, holder: string, inBackground: (what: string, work: Promise<void>) => void) {
    this.#deps = deps;
    this.#holder = holder;
    this.#inBackground = inBackground;
  }

  of(subscriptionId: string) {
    const { gates } = this.#deps;
    return gates.get(gates.idFromName(subscriptionId));
  }

  /** Asks the gate of one subscription. Returns null when it cannot be reached. */
  async reserve(askers: readonly Asker[]): Promise<Answer[] | null> {
    const [first] = askers;
    if (!first) return [];
    const { subscriptionId, limits } = first;
    const demands = askers.map(({ id, standing, slotAtMs, ready }) => ({ id, standing, slotAtMs, ready }));
    try {
      const made = this.#takeMade(subscriptionId);
      return await inTime(this.of(subscriptionId).reserve(limits, demands, this.#holder, made));
    } catch (error) {
      log("warn", "gate not reached", { webhookId: subscriptionId, count: askers.length, ...describeError(error) });
      return null;
    }
  }

  /**
   * Asks for the start of a delivery that is claimed and can be sent up to `beforeMs` (Unix ms). Deliveries of the subscription that become
   * ready during a call share the next one.
   */
  askForStart(asker: Asker, beforeMs: number): Promise<Answer | null> {
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const entry = { asker: { ...asker, ready: { beforeMs, leewayMs: lateness.leewayMs } }, resolve };
    const waiting = this.#ready.get(asker.subscriptionId);
    if (waiting) waiting.push(entry);
    else {
      this.#ready.set(asker.subscriptionId, [entry]);
      this.#inBackground("ask for starts", this.#askForStarts(asker.subscriptionId));
    }
    return promise;
  }

  async #askForStarts(subscriptionId: string): Promise<void> {
    const waiting = this.#ready.get(subscriptionId) ?? [];
    while (waiting.length > 0) {
      for (const group of Map.groupBy(waiting.splice(0), ({ asker }) => asker.limitsText).values()) {
        const answers = await this.reserve(group.map(({ asker }) => asker));
        for (const [position, { resolve }] of group.entries()) resolve(answers?.[position] ?? null);
      }
    }
    this.#ready.delete(subscriptionId);
  }

  /**
   * Waits for a start and returns whether it has come in time. The gate learns, with the next call, of one that was missed, and of one
   * that had much leeway and did not need it.
   */
  async comesInTime(subscriptionId: string, limits: Limits, { atMs, latestMs }: Leave): Promise<boolean> {
    const { now } = this.#deps;
    for (let leftMs = atMs - now(); leftMs > 0; leftMs = atMs - now()) await scheduler.wait(leftMs);
    if (!limits.rateLimit) return true;
    const nowMs = now();
    const isInTime = nowMs <= latestMs;
    if (isInTime) lateness.noteMade();
    else lateness.noteMissed();
    if (!isInTime || latestMs - nowMs > LEEWAY_WORTH_RETURNING_MS) {
      const made = { latestMs, atMs: isInTime ? nowMs : null };
      this.#made.set(subscriptionId, [...(this.#made.get(subscriptionId) ?? []), made]);
      this.#inBackground("give back leeway", this.#tellMade(subscriptionId, limits));
    }
    return isInTime;
  }

  async #tellMade(subscriptionId: string, limits: Limits): Promise<void> {
    await scheduler.wait(TELL_AFTER_MS);
    const made = this.#takeMade(subscriptionId);
    if (made.length > 0) await inTime(this.of(subscriptionId).reserve(limits, [], this.#holder, made));
  }

  #takeMade(subscriptionId: string): Made[] {
    const made = this.#made.get(subscriptionId) ?? [];
    this.#made.delete(subscriptionId);
    return made;
  }
}

/** Throws when the gate does not answer in time. */
export async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${GATE_TIMEOUT_MS} ms`)), GATE_TIMEOUT_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
