/**
 * The starts of a run's claimed deliveries: at once, unless their tenant is on trial or their subscription has limits.
 * The limit of the host or the throttle of the subscription then says when. A delivery that can start soon stays in the
 * run; every other one goes back to the outbox until its time.
 */
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import { enqueue } from "../../plane/enqueue";
import { THROTTLE_RETRY_MS } from "../../plane/timing";
import type { Claimed, Run } from "../run-states";
import { type Deferral, defer } from "./defer";
import { askSchedule, type Demand, type StartAnswer } from "./demand";
import { noteWait } from "./far";
import { type Limits, limitsOf, startJitterMs, textOf } from "./limits";
import { isOfTrial, trialWaits } from "./trial";
import { endWaits } from "./waits-store";

interface Events {
  /** The start of a delivery is known. */
  onStart: () => void;
  /** A delivery goes back to the outbox. */
  onDeferred: (delivery: Claimed) => void;
}

/** What is known about a delivery that could not start at once. */
type Standing =
  /** An answer is still to come. */
  | { kind: "asked" }
  /** It counts in the limit of its host, and its subscription has no limits. */
  | { kind: "counted" }
  /** It has a start under these limits, and a permit if they need one. */
  | { kind: "started"; limits: Limits }
  /** It waits for the permit of another delivery of this run. Without it, it waits in the outbox. */
  | { kind: "next"; deferral: Deferral };

export class Starts {
  readonly #run: Run;
  readonly #deps: Deps;
  readonly #events: Events;
  readonly #standings = new Map<Claimed, Standing>();

  /** The token of the run's claims also names it to the throttles. */
  constructor(run: Run, events: Events) {
    this.#run = run;
    this.#deps = run.deps;
    this.#events = events;
  }

  /** Asks for the starts of those of `deliveries` that cannot start at once. `ended` needs no permit any more. */
  ask(deliveries: readonly Claimed[], ended: readonly string[] = []): void {
    const { uncounted = [], others = [] } = Object.groupBy(deliveries, (delivery) =>
      isOfTrial(this.#deps, delivery) && !this.#standings.has(delivery) ? "uncounted" : "others",
    );
    const limited = others.filter(({ options }) => limitsOf(options) !== null);
    for (const delivery of [...uncounted, ...limited]) {
      delivery.startMs = Infinity;
      this.#standings.set(delivery, { kind: "asked" });
    }
    if (uncounted.length > 0) this.#deps.background("count deliveries of tenants on trial", this.#count(uncounted));
    const nameOf = ({ subscriptionId, options }: Claimed) => `${subscriptionId} ${textOf(options ?? {})}`;
    for (const group of Map.groupBy(limited, nameOf).values()) {
      this.#deps.background("schedule deliveries", this.#schedule(group, ended));
    }
  }

  /** Whether an answer about the delivery is still to come. */
  isAsked = (delivery: Claimed): boolean => this.#standings.get(delivery)?.kind === "asked";

  /** Whether the start of a delivery has passed by more than its rate limit allows. */
  hasMissed({ startMs, options }: Claimed, nowMs: number): boolean {
    const rateLimit = options?.rateLimit;
    return rateLimit !== undefined && nowMs > startMs + startJitterMs(rateLimit);
  }

  /** Ends the permits of deliveries that have been sent or handed back, and gives them to others, in the background. */
  end(deliveries: readonly Claimed[]): void {
    for (const delivery of deliveries) {
      const standing = this.#standings.get(delivery);
      this.#standings.delete(delivery);
      if (!hasPermit(standing)) continue;
      const next = this.#find(delivery, ({ kind }) => kind === "next");
      if (next) this.ask([next], [delivery.id]);
      else this.#deps.background("pass a permit on", this.#passOn(delivery, standing.limits));
    }
  }

  /** Puts a delivery back into the outbox if it waits here for a permit, in the background. Returns whether it does. */
  defer(delivery: Claimed): boolean {
    const standing = this.#standings.get(delivery);
    if (standing?.kind !== "next") return false;
    this.#defer([standing.deferral]);
    return true;
  }

  /** Counts deliveries in the limits of their hosts. What a host has no room for waits in the outbox. */
  async #count(deliveries: readonly Claimed[]): Promise<void> {
    const waits = await trialWaits(this.#deps, deliveries);
    const counted = deliveries.filter((delivery) => !waits.has(delivery));
    for (const delivery of counted) {
      this.#standings.set(delivery, { kind: "counted" });
      delivery.startMs = 0;
    }
    this.#defer([...waits].map(([delivery, untilMs]) => ({ delivery, untilMs, waitsFor: null, limits: null })));
    this.ask(counted);
    this.#events.onStart();
  }

  /** Asks the throttle of a subscription about deliveries with the same limits, and does what it answers. */
  async #schedule(group: readonly Claimed[], ended: readonly string[]): Promise<void> {
    const [first] = group;
    const limits = limitsOf(first?.options ?? null);
    if (!first || !limits) return;
    const latestMs = Math.min(...group.map(({ startByMs }) => startByMs));
    const demands = group.map((delivery) => ({ id: delivery.id, priority: priorityOf(delivery) }));
    const asked = { demands, ended, called: [], holder: this.#run.claim, latestMs };
    const answers = await askSchedule(this.#deps, first, limits, asked);
    this.#defer(group.flatMap((delivery, position) => this.#follow(delivery, limits, answers?.[position])));
    this.#events.onStart();
  }

  /** Acts on an answer. Returns how the delivery must wait in the outbox, if it must. */
  #follow(delivery: Claimed, limits: Limits, answer: StartAnswer | undefined): Deferral[] {
    if (answer?.kind === "start") {
      delivery.startMs = answer.atMs;
      this.#standings.set(delivery, { kind: "started", limits });
      return [];
    }
    if (!answer) return [{ delivery, untilMs: this.#deps.now() + THROTTLE_RETRY_MS, waitsFor: null, limits }];
    const { untilMs, waitsFor } = answer;
    const deferral = { delivery, untilMs, waitsFor, limits };
    if (waitsFor === "start" && priorityOf(delivery) === "new") noteWait(delivery, limits, untilMs);
    if (waitsFor === "start" || !this.#find(delivery, hasPermit)) return [deferral];
    this.#standings.set(delivery, { kind: "next", deferral });
    return [];
  }

  /** A delivery of the same subscription. */
  #find({ subscriptionId }: Claimed, isWanted: (standing: Standing) => boolean): Claimed | undefined {
    for (const [other, standing] of this.#standings) {
      if (other.subscriptionId === subscriptionId && isWanted(standing)) return other;
    }
    return undefined;
  }

  #defer(deferrals: readonly Deferral[]): void {
    for (const { delivery } of deferrals) {
      this.#standings.delete(delivery);
      this.#events.onDeferred(delivery);
    }
    for (const [shard, ofShard] of Map.groupBy(deferrals, ({ delivery }) => delivery.shard)) {
      this.#deps.background("defer deliveries", defer(this.#run, shard, ofShard));
    }
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
    const asked = { demands: [], ended: [id], called: ids, holder: this.#run.claim, latestMs: this.#deps.now() };
    await askSchedule(this.#deps, { shard, subscriptionId }, limits, asked);
    await enqueue(this.#deps, this.#run.speed, shard, called);
  }
}

const hasPermit = (standing: Standing | undefined): standing is Extract<Standing, { kind: "started" }> =>
  standing?.kind === "started" && standing.limits.maxConcurrent !== undefined;

const priorityOf = ({ kind, hasWaited }: Claimed): Demand["priority"] => {
  if (kind === "test") return "test";
  return hasWaited === 1 ? "returned" : "new";
};
