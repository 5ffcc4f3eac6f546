/**
 * One object per limited subscription. It grants the starts of deliveries, and stores them so that eviction loses
 * nothing.
 */
import { DurableObject } from "cloudflare:workers";
import type { Answer, Demand, Made } from "./demand";
import { Gate, type GateState, NEW_GATE } from "./gate";
import type { Limits } from "./limits";

const KEY = "state";

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class SubscriptionGate extends DurableObject<Env> {
  #state: GateState = NEW_GATE;
  /** Whether an alarm is set; undefined until it has been looked up. */
  #hasAlarm: boolean | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#state = (await ctx.storage.get<GateState>(KEY)) ?? NEW_GATE;
    });
  }

  /**
   * Answers each demand under these limits. `holder` names the caller, which will hold the places. It can make a start
   * no sooner than
   * `leadMs` from now, and up to `leewayMs` after the granted moment. `made` reports the outcomes of earlier starts.
   */
  async reserve(
    limits: Limits,
    demands: Demand[],
    { holder, leadMs, leewayMs, made }: { holder: string; leadMs: number; leewayMs: number; made: Made[] },
  ): Promise<Answer[]> {
    const gate = new Gate(this.#state, limits, { nowMs: Date.now(), leadMs, leewayMs });
    gate.settle(made);
    const answers = gate.reserve(demands, holder);
    await this.#save(gate);
    return answers;
  }

  /** Frees the places of deliveries that have ended. Returns how many waiting deliveries may be called. */
  async release(limits: Limits, ids: string[], holder: string): Promise<number> {
    const gate = new Gate(this.#state, limits, { nowMs: Date.now() });
    const free = gate.release(ids, holder);
    await this.#save(gate);
    return free;
  }

  /** Corrects the number of deliveries that wait for a place. */
  async setWaiting(limits: Limits, count: number): Promise<void> {
    const gate = new Gate(this.#state, limits, { nowMs: Date.now() });
    gate.setWaiting(count);
    await this.#save(gate);
  }

  /** Deletes everything stored once nothing depends on it. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    const { limits } = this.#state;
    const idleFromMs = limits ? new Gate(this.#state, limits, { nowMs: Date.now() }).idleFromMs : 0;
    if (idleFromMs > Date.now()) return this.#cleanUpAfter(idleFromMs);
    this.#state = NEW_GATE;
    await this.ctx.storage.deleteAll();
  }

  async #save(gate: Gate): Promise<void> {
    this.#state = gate.state;
    await this.ctx.storage.put(KEY, this.#state);
    await this.#cleanUpAfter(gate.idleFromMs);
  }

  /** Sets the alarm unless one is set. An alarm is never moved: if it fires early, it sets the next one. */
  async #cleanUpAfter(timeMs: number): Promise<void> {
    this.#hasAlarm ??= (await this.ctx.storage.getAlarm()) !== null;
    if (this.#hasAlarm) return;
    this.#hasAlarm = true;
    await this.ctx.storage.setAlarm(timeMs);
  }
}
