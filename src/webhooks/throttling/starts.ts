/**
 * The starts of a run's claimed deliveries: at once, unless their tenant is on trial or their subscription has limits.
 * The limit of the host or the throttle of the subscription then says when. A delivery that can start soon stays in the
 * run; every other one goes back to the outbox until its time.
 */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { enqueue, type QueueSpeed } from "../delivery/enqueue";
import type { Claimed } from "../delivery/run-states";
import { THROTTLE_RETRY_MS } from "../delivery/timing";
import { askSchedule } from "./calls";
import { type Deferral, defer } from "./defer";
import type { Answer, Demand } from "./demand";
import { type Limits, limitsOf, startJitterMs, textOf } from "./limits";
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
  /** Those that wait for the permit of another delivery of this run, and how they wait in the outbox without it. */
  readonly #next = new Map<Claimed, Deferral>();

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
    const limited = deliveries.flatMap((delivery) => {
      const limits = ofTrial.includes(delivery) ? null : limitsOf(delivery.options);
      return limits ? [{ delivery, limits }] : [];
    });
    for (const delivery of [...ofTrial, ...limited.map((one) => one.delivery)]) {
      delivery.startMs = Infinity;
      this.#asked.add(delivery);
      this.#next.delete(delivery);
    }
    if (ofTrial.length > 0) this.#deps.background("count deliveries of tenants on trial", this.#count(ofTrial));
    const endedIds = ended.map(({ id }) => id);
    const groups = Map.groupBy(limited, ({ delivery, limits }) => `${delivery.subscriptionId} ${textOf(limits)}`);
    for (const group of groups.values()) {
      this.#deps.background("schedule deliveries", this.#schedule(group, endedIds));
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
    const deferral = this.#next.get(delivery);
    if (deferral === undefined) return false;
    this.#next.delete(delivery);
    this.#defer(delivery.shard, [deferral]);
    return true;
  }

  /** Counts deliveries in the limits of their hosts. What a host has no room for waits in the outbox. */
  async #count(deliveries: readonly Claimed[]): Promise<void> {
    const waits = await trialWaits(this.#deps, deliveries);
    for (const delivery of deliveries) this.#asked.delete(delivery);
    const waiting = deliveries.flatMap((delivery) => {
      const untilMs = waits.get(delivery);
      return untilMs === undefined ? [] : [{ delivery, untilMs, waitsFor: null, limits: null }];
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

  /** Asks the throttle of a subscription, and does what it answers. */
  async #schedule(group: readonly Limited[], ended: string[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const latestMs = Math.min(...group.map(({ delivery }) => delivery.startByMs));
    const demands = group.map(({ delivery }) => ({ id: delivery.id, priority: priorityOf(delivery) }));
    const asked = { demands, ended, called: [], holder: this.#claim, latestMs };
    const answers = await askSchedule(this.#deps, first.delivery, first.limits, asked);
    for (const { delivery } of group) this.#asked.delete(delivery);
    const deferrals = group.flatMap((limited, position) => this.#follow(limited, answers?.[position]));
    this.#defer(first.delivery.shard, deferrals);
    this.#events.onStart();
  }

  /** Acts on an answer. Returns how the delivery must wait in the outbox, if it must. */
  #follow({ delivery, limits }: Limited, answer: Answer | undefined): Deferral[] {
    // One that asks again has lost its permit, unless it gets a start.
    this.#permitted.delete(delivery);
    if (!answer) return [{ delivery, untilMs: this.#deps.now() + THROTTLE_RETRY_MS, waitsFor: null, limits }];
    if (answer.kind === "start") {
      delivery.startMs = answer.atMs;
      if (limits.maxConcurrent !== undefined) this.#permitted.set(delivery, limits);
      return [];
    }
    const { untilMs, waitsFor } = answer;
    const deferral = { delivery, untilMs, waitsFor, limits };
    const isNext = waitsFor === "permit" && this.#hasPermitOf(delivery.subscriptionId);
    if (!isNext) return [deferral];
    this.#next.set(delivery, deferral);
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
    const called = await endWaits(this.#deps, { tenantId, shard }, subscriptionId, 1, this.#deps.now(), {
      areCalled: true,
    }).catch((error: unknown) => {
      log("warn", "no delivery called to a permit", { webhookId: subscriptionId, ...describeError(error) });
      return [];
    });
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
