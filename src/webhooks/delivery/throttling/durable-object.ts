/** One object per limited subscription. It schedules the starts of deliveries, and stores what must not be lost. */
import { DurableObject } from "cloudflare:workers";
import { CleanUp } from "../../../base/limits/clean-up";
import type { Asked, StartAnswer } from "./demand";
import type { Limits } from "./limits";
import { NEW_SCHEDULE, Schedule, type ScheduleState } from "./schedule";

/** Not "state", under which objects of earlier versions stored something else. Their alarm deletes it. */
const KEY = "schedule";

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class SubscriptionThrottle extends DurableObject<Env> {
  #state: ScheduleState = NEW_SCHEDULE;
  readonly #cleanUp = new CleanUp(this.ctx);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#state = (await ctx.storage.get<ScheduleState>(KEY)) ?? NEW_SCHEDULE;
    });
  }

  /** Answers each demand under these limits, in their order. */
  async schedule(limits: Limits, asked: Asked): Promise<StartAnswer[]> {
    const schedule = new Schedule(this.#state, limits, Date.now());
    const answers = schedule.answer(asked);
    this.#state = schedule.state;
    await this.ctx.storage.put(KEY, this.#state);
    await this.#cleanUp.setAlarm(schedule.endMs);
    return answers;
  }

  /** Deletes everything stored once nothing depends on it. */
  override async alarm(): Promise<void> {
    const { limits } = this.#state;
    const endMs = limits ? new Schedule(this.#state, limits, Date.now()).endMs : 0;
    if (endMs <= Date.now()) this.#state = NEW_SCHEDULE;
    await this.#cleanUp.run(endMs);
  }
}
