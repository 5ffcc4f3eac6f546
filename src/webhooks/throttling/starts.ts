/**
 * The starts of a run's claimed deliveries: at once, unless their tenant is on trial or their subscription has limits.
 * The limit of the host or the throttle of the subscription then says when. A delivery that can start soon stays in the
 * run; every other one goes back to the outbox until its time.
 */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { Claimed } from "../delivery/claimed";
import { enqueue, type QueueSpeed } from "../delivery/enqueue";
import { THROTTLE_RETRY_MS } from "../delivery/timing";
import { askSchedule } from "./calls";
import { type Deferral, defer } from "./defer";
import type { Answer, Demand } from "./demand";
import { type Limits, limitsOf, startJitterMs } from "./limits";
import { isOfTrial, trialWaits } from "./trial";
import { endWaits } from "./waits-store";

interface Events {
  /** The start of a delivery is known. */
  onStart: () => void;
  /** A delivery goes back to the outbox. */
  onDeferred: (delivery: Claimed) => void;
}

/** A delivery whose subscription has limits. */
interface Limited {
  delivery: Claimed;
  limits: Limits;
}

export class Starts {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  readonly #claim: string;
  readonly #events: Events;
  readonly #asked = new Set<Claimed>();
  /** The deliveries of tenants on trial that count in the limits of their hosts. */
  readonly #counted = new WeakSet<Claimed>();
  /** The deliveries of this run that have permits. */
  readonly #permitted = new Map<Claimed, Limits>();
  /** Those that wait for the permit of another delivery of this run, and when they come back without it (Unix ms). */
  readonly #next = new Map<Claimed, number>();

  /** `claim` is the token of the run's claims. It also names the run to the throttles. */
  constructor(deps: Deps, speed: QueueSpeed, claim: string, events: Events) {
    this.#deps = deps;
    this.#speed = speed;
    this.#claim = claim;
    this.#events = events;
  }

  /** Asks for the starts of those of `deliveries` that cannot start at once. `ended` need no permits any more. */
  ask(deliveries: readonly Claimed[], ended: readonly Claimed[] = []): void {
    const ofTrial = deliveries.filter((delivery) => isOfTrial(this.#deps, delivery) && !this.#counted.has(delivery));
    if (ofTrial.length > 0) this.#deps.background("count deliveries of tenants on trial", this.#count(ofTrial));
    this.#schedule(ofTrial.length > 0 ? deliveries.filter((one) => !ofTrial.includes(one)) : deliveries, ended);
  }

  /** Asks the throttles of the limited ones of `deliveries`, in the background. */
  #schedule(deliveries: readonly Claimed[], ended: readonly Claimed[]): void {
    const limited = deliveries.flatMap((delivery) => {
      const limits = limitsOf(delivery.options);
      return limits ? [{ delivery, limits }] : [];
    });
    for (const { delivery } of limited) {
      delivery.startMs = Infinity;
      this.#asked.add(delivery);
      this.#next.delete(delivery);
    }
    const endedIds = ended.map(({ id }) => id);
    const groups = Map.groupBy(limited, ({ delivery }) => `${delivery.subscriptionId} ${delivery.limitsText}`);
    for (const group of groups.values()) {
      this.#deps.background("schedule deliveries", this.#ask(group, endedIds));
    }
  }

  /** Whether an answer about the delivery is still to come. */
  isAsked = (delivery: Claimed): boolean => this.#asked.has(delivery);

  /** Whether the start of a delivery has passed by more than its rate limit allows. */
  hasMissed({ startMs, options }: Claimed, nowMs: number): boolean {
    const rateLimit = options?.rateLimit;
    return rateLimit !== undefined && nowMs > startMs + startJitterMs(rateLimit);
  }

  /** Ends the permits of deliveries that have been sent or handed back, and gives them to others, in the background. */
  end(deliveries: readonly Claimed[]): void {
    for (const delivery of deliveries) {
      const limits = this.#permitted.get(delivery);
      this.#next.delete(delivery);
      if (!limits) continue;
      this.#permitted.delete(delivery);
      const next = [...this.#next.keys()].find(({ subscriptionId }) => subscriptionId === delivery.subscriptionId);
      if (next) this.ask([next], [delivery]);
      else this.#deps.background("pass a permit on", this.#passOn(delivery, limits));
    }
  }

  /** Puts a delivery back into the outbox if it waits here for a permit, in the background. Returns whether it does. */
  defer(delivery: Claimed): boolean {
    const untilMs = this.#next.get(delivery);
    if (untilMs === undefined) return false;
    this.#next.delete(delivery);
    this.#defer(delivery.shard, [{ delivery, untilMs, waitsFor: "permit" }]);
    return true;
  }

  /** Counts deliveries in the limits of their hosts. What a host has no room for waits in the outbox. */
  async #count(deliveries: readonly Claimed[]): Promise<void> {
    for (const delivery of deliveries) this.#asked.add(delivery);
    const waits = await trialWaits(this.#deps, deliveries);
    for (const delivery of deliveries) this.#asked.delete(delivery);
    const waiting = deliveries.flatMap((delivery) => {
      const untilMs = waits.get(delivery);
      return untilMs === undefined ? [] : [{ delivery, untilMs, waitsFor: null }];
    });
    for (const [shard, deferrals] of Map.groupBy(waiting, ({ delivery }) => delivery.shard)) {
      this.#defer(shard, deferrals);
    }
    const counted = deliveries.filter((delivery) => !waits.has(delivery));
    for (const delivery of counted) {
      this.#counted.add(delivery);
      delivery.startMs = 0;
    }
    this.ask(counted);
    this.#events.onStart();
  }

  async #ask(group: readonly Limited[], ended: string[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { shard } = first.delivery;
    const latestMs = Math.min(...group.map(({ delivery }) => delivery.startByMs));
    const demands = group.map(({ delivery }) => ({ id: delivery.id, priority: priorityOf(delivery) }));
    const asked = { demands, ended, called: [], holder: this.#claim, latestMs };
    const answers = await askSchedule(this.#deps, first.delivery, first.limits, asked);
    for (const { delivery } of group) this.#asked.delete(delivery);
    const deferrals = group.flatMap((limited, position) => this.#follow(limited, answers?.[position]));
    this.#defer(shard, deferrals);
    this.#events.onStart();
  }

  /** Acts on an answer. Returns how the delivery must wait in the outbox, if it must. */
  #follow({ delivery, limits }: Limited, answer: Answer | undefined): Deferral[] {
    if (!answer) return [{ delivery, untilMs: this.#deps.now() + THROTTLE_RETRY_MS, waitsFor: null }];
    if (answer.kind === "start") {
      delivery.startMs = answer.atMs;
      if (limits.maxConcurrent !== undefined) this.#permitted.set(delivery, limits);
      return [];
    }
    const { untilMs, waitsFor } = answer;
    const isNext = waitsFor === "permit" && this.#hasPermitOf(delivery.subscriptionId);
    if (!isNext) return [{ delivery, untilMs, waitsFor }];
    this.#next.set(delivery, untilMs);
    return [];
  }

  #hasPermitOf = (subscriptionId: string): boolean =>
    [...this.#permitted.keys()].some((delivery) => delivery.subscriptionId === subscriptionId);

  #defer(shard: number, deferrals: readonly Deferral[]): void {
    if (deferrals.length === 0) return;
    for (const { delivery } of deferrals) this.#events.onDeferred(delivery);
    this.#deps.background("defer deliveries", defer(this.#deps, this.#speed, this.#claim, shard, deferrals));
  }

  /** Keeps the permit of a delivery for one that waits in the outbox, and calls that one. */
  async #passOn({ id, shard, tenantId, subscriptionId }: Claimed, limits: Limits): Promise<void> {
    let called: Awaited<ReturnType<typeof endWaits>> = [];
    try {
      called = await endWaits(this.#deps, { tenantId, shard }, subscriptionId, 1, this.#deps.now(), {
        areCalled: true,
      });
    } catch (error) {
      log("warn", "no delivery called to a permit", { webhookId: subscriptionId, ...describeError(error) });
    }
    const ids = called.map((key) => key.id);
    const asked = { demands: [], ended: [id], called: ids, holder: this.#claim, latestMs: this.#deps.now() };
    await askSchedule(this.#deps, { shard, subscriptionId }, limits, asked);
    await enqueue(this.#deps, this.#speed, shard, called);
  }
}

const priorityOf = ({ kind, hasWaited }: Claimed): Demand["priority"] => {
  if (kind === "test") return "test";
  return hasWaited === 1 ? "returned" : "new";
};
