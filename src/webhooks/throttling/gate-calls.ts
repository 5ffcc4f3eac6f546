/** The calls of one run to the gates of limited subscriptions. */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { GATE_TIMEOUT_MS } from "../delivery/timing";
import type { Answer, Demand, Made } from "./demand";
import { neededLeewayMs } from "./lateness";
import type { Limits } from "./limits";
import type { LimitedDelivery } from "./line-store";

export type StandingOf = (delivery: LimitedDelivery) => Demand["standing"];

/** A limited subscription. */
interface Limited {
  subscriptionId: string;
  limits: Limits;
}

export class GateCalls {
  readonly #gates: Deps["gates"];
  readonly #holder: string;
  readonly #untold = new Map<string, { of: Limited; made: Made[] }>();

  /** `holder` names the run to the gates. */
  constructor({ gates }: Deps, holder: string) {
    this.#gates = gates;
    this.#holder = holder;
  }

  /**
   * Notes the outcome of a start, to report it to the gate with the next call. Until then the start counts as made at
   * its last moment.
   */
  note(of: Limited, made: Made): void {
    const known = this.#untold.get(of.subscriptionId)?.made ?? [];
    this.#untold.set(of.subscriptionId, { of, made: [...known, made] });
  }

  /**
   * Asks one gate for the starts of deliveries of its subscription, `leadMs` from now or later. Returns null when it
   * cannot be reached.
   */
  async reserve(
    deliveries: readonly LimitedDelivery[],
    standing: StandingOf,
    leadMs: number,
  ): Promise<Answer[] | null> {
    const [first] = deliveries;
    if (!first) return [];
    const demands = deliveries.map((delivery) => ({
      id: delivery.id,
      standing: standing(delivery),
      slotAtMs: delivery.slotAtMs,
    }));
    const options = { holder: this.#holder, leadMs, leewayMs: neededLeewayMs(), made: this.#takeMade(first) };
    return this.#orNull(first, deliveries.length, (gate) => gate.reserve(first.limits, demands, options));
  }

  /** Reports the outcomes of starts to a gate at once. */
  async tell(of: Limited): Promise<void> {
    const made = this.#takeMade(of);
    const options = { holder: this.#holder, leadMs: 0, leewayMs: 0, made };
    if (made.length > 0) await this.#orNull(of, made.length, (gate) => gate.reserve(of.limits, [], options));
  }

  /** Reports to each gate the outcomes that it does not know yet. */
  async tellAll(): Promise<void> {
    await Promise.all([...this.#untold.values()].map(({ of }) => this.tell(of)));
  }

  /** Returns each outcome once: a gate that got the same report twice would forget the start of another delivery. */
  #takeMade({ subscriptionId }: Pick<Limited, "subscriptionId">): Made[] {
    const made = this.#untold.get(subscriptionId)?.made ?? [];
    this.#untold.delete(subscriptionId);
    return made;
  }

  /**
   * Frees the place of a delivery. Returns how many waiting deliveries may be called. If the call fails, the place
   * expires later.
   */
  async release(of: Limited, id: string): Promise<number> {
    return (await this.#orNull(of, 1, (gate) => gate.release(of.limits, [id], this.#holder))) ?? 0;
  }

  /** Corrects the number of deliveries that wait for a place. */
  async setWaiting(of: Limited, count: number): Promise<void> {
    await this.#orNull(of, count, (gate) => gate.setWaiting(of.limits, count));
  }

  /** Calls the gate of a subscription about `count` deliveries. Returns null when it does not answer in time. */
  async #orNull<T>(
    { subscriptionId }: Limited,
    count: number,
    call: (gate: ReturnType<Deps["gates"]["get"]>) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await inTime(call(this.#gates.get(this.#gates.idFromName(subscriptionId))));
    } catch (error) {
      log("warn", "gate not reached", { webhookId: subscriptionId, count, ...describeError(error) });
      return null;
    }
  }
}

/** Throws when the answer does not come in time. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${GATE_TIMEOUT_MS} ms`)), GATE_TIMEOUT_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
