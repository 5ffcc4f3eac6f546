/**
 * The deliveries of limited subscriptions in one run. Their gates say when each should start. Those that should start soon stay in the run
 * and are claimed shortly before; once they are ready, the gates grant the starts. The others go back to the outbox until their slots.
 */
import type { Deps } from "../deps";
import type { Answer, Demand } from "../gates/gate";
import type { Limits } from "../gates/limits";
import { describeError, log } from "../log";
import { type ClaimedDelivery, releaseDeliveries } from "./claim-store";
import { enqueue, enqueueSlots, type QueueSpeed } from "./enqueue";
import { GateCalls, inTime, type Leave } from "./gate-calls";
import {
  type Deferral,
  deferDeliveries,
  type LimitedDelivery,
  postponeDeliveries,
  readLimited,
  readLine,
} from "./line-store";
import type { OutboxKey, ShardKey } from "./message";
import { tellIfThrottled } from "./throttled";
import {
  CLAIM_BEFORE_START_MS,
  DUE_BEFORE_SWEPT_SLOT_MS,
  GATE_RETRY_MS,
  LONGEST_SLOT_MESSAGE_DELAY_MS,
  SLOT_COMES_EARLY_MS,
} from "./timing";

const CALLS_FOR_MS = 8_000;
/** When a limited delivery should start. */
export interface Start {
  /** Unix ms. */
  atMs: number;
  limits: Limits;
  limitsText: string;
}

/** A delivery that should start soon. Without `start`, its subscription is not limited, or its gate has not been asked. */
export interface StartingKey extends ShardKey {
  start?: Start | undefined;
}

type Starting<T> = T & { shard: number; start: Start };

export class Starts {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  /** The token of the run's claims. It also names the run to the gates. */
  readonly #claim: string;
  readonly #gates: GateCalls;
  #planned: Starting<OutboxKey>[] = [];
  readonly #asking = new Set<Promise<void>>();
  /** From then on the run calls no deliveries to places any more, because the runtime ends what takes longer than 30 s. */
  readonly #endsCallsMs: number;

  constructor(deps: Deps, speed: QueueSpeed, claim: string) {
    this.#deps = deps;
    this.#speed = speed;
    this.#claim = claim;
    this.#gates = new GateCalls(deps, claim, (what, work) => this.#inBackground(what, work));
    this.#endsCallsMs = deps.now() + CALLS_FOR_MS;
  }

  /** Whether no delivery of the run waits for its start or for an answer. */
  get areDone(): boolean {
    return this.#planned.length + this.#asking.size === 0;
  }

  /** The deliveries that should be claimed now. */
  get toClaim(): readonly Starting<OutboxKey>[] {
    const untilMs = this.#deps.now() + CLAIM_BEFORE_START_MS;
    return this.#planned.filter(({ start }) => start.atMs <= untilMs);
  }

  /** When the next delivery should be claimed, Unix ms; Infinity if there is none. */
  get nextClaimMs(): number {
    return Math.min(...this.#planned.map(({ start }) => start.atMs)) - CLAIM_BEFORE_START_MS;
  }

  /** Removes those of `keys` that should start soon. */
  remove(keys: ReadonlySet<StartingKey>): void {
    this.#planned = this.#planned.filter((key) => !keys.has(key));
  }

  /** Removes and returns what should be claimed now. */
  takeToClaim(): Starting<OutboxKey>[] {
    const taken = [...this.toClaim];
    this.remove(new Set(taken));
    return taken;
  }

  /** Asks the gates of limited deliveries, in the background. Those that come for their slots are not asked about. */
  ask(shard: number, deliveries: readonly LimitedDelivery[]): void {
    const latestMs = this.#deps.now() + SLOT_COMES_EARLY_MS;
    const comesForSlot = ({ isTest, slotAtMs, limits }: LimitedDelivery) =>
      !isTest && limits.maxConcurrent === undefined && slotAtMs !== null && slotAtMs <= latestMs;
    for (const delivery of deliveries.filter(comesForSlot)) this.#plan(shard, delivery, delivery.slotAtMs ?? 0);
    const others = deliveries.filter((delivery) => !comesForSlot(delivery));
    for (const group of Map.groupBy(others, ({ subscriptionId }) => subscriptionId).values()) {
      this.#inBackground("ask a gate", this.#ask(shard, group, standingOf));
    }
  }

  /** Asks the gates of deliveries whose messages have come before their slots, in the background. */
  askForSlots(keys: readonly ShardKey[]): void {
    for (const [shard, group] of Map.groupBy(keys, (key) => key.shard)) {
      this.#inBackground(
        "read slots",
        readLimited(this.#deps.shards.db(shard), group).then((deliveries) => this.ask(shard, deliveries)),
      );
    }
  }

  /** Frees the places of deliveries that have ended or are not claimed, and calls the next ones to them, in the background. */
  release(keys: readonly StartingKey[]): void {
    for (const { shard, subscriptionId, id, start } of keys) {
      if (start?.limits.maxConcurrent === undefined) continue;
      this.#inBackground("release a place", this.#release(shard, subscriptionId, id, start.limits));
    }
  }

  /**
   * Returns the leave of the gate to start a claimed delivery, or undefined when that is after `beforeMs` (Unix ms): the delivery is then
   * released. Throws when D1 is down.
   */
  async leave(delivery: Starting<ClaimedDelivery>, beforeMs: number): Promise<Leave | undefined> {
    const limited = limitedOf(delivery);
    const answer = await this.#gates.askForStart({ ...limited, standing: limited.isTest ? "test" : "back" }, beforeMs);
    if (answer?.kind === "start") return answer;
    const db = this.#deps.shards.db(delivery.shard);
    await releaseDeliveries(db, this.#claim, [delivery]);
    await this.#follow(delivery.shard, [limited], answer && [answer]);
    return undefined;
  }

  /** Waits for a start that was granted, and returns whether it has come in time. */
  comesInTime(delivery: Starting<ClaimedDelivery>, leave: Leave): Promise<boolean> {
    return this.#gates.comesInTime(delivery.subscriptionId, delivery.start.limits, leave);
  }

  #inBackground(what: string, work: Promise<void>): void {
    const asking = work.catch((error: unknown) =>
      log("error", "background work failed", { what, ...describeError(error) }),
    );
    this.#asking.add(asking);
    this.#deps.background(
      what,
      asking.finally(() => this.#asking.delete(asking)),
    );
  }

  async #ask(
    shard: number,
    deliveries: readonly LimitedDelivery[],
    standing: (delivery: LimitedDelivery) => Demand["standing"],
  ): Promise<void> {
    const askers = deliveries.map((delivery) => ({ ...delivery, standing: standing(delivery) }));
    await this.#follow(shard, deliveries, await this.#gates.reserve(askers));
  }

  /** Does what the gate has answered. */
  async #follow(
    shard: number,
    deliveries: readonly LimitedDelivery[],
    answers: readonly Answer[] | null,
  ): Promise<void> {
    if (!answers) return this.#postpone(shard, deliveries);
    const deferrals: Deferral[] = [];
    for (const [position, delivery] of deliveries.entries()) {
      const answer = answers[position];
      if (answer?.kind === "start" || answer?.kind === "soon") this.#plan(shard, delivery, answer.atMs);
      else if (answer?.kind === "wait") deferrals.push(this.#deferral(delivery, answer.untilMs));
    }
    const [first] = deliveries;
    if (!first || deferrals.length === 0) return;
    await this.#defer(shard, deferrals, first.limitsText);
    await tellIfThrottled(this.#deps, shard, first, answers);
  }

  /** Keeps a delivery in the run until its start. */
  #plan(shard: number, delivery: LimitedDelivery, atMs: number): void {
    const { limits, limitsText } = delivery;
    this.#planned.push({ ...keyOf(delivery), shard, start: { atMs, limits, limitsText } });
  }

  async #defer(shard: number, deferrals: readonly Deferral[], limitsText: string): Promise<void> {
    const deferred = await deferDeliveries(this.#deps.shards.db(shard), deferrals, limitsText);
    const withMessage = deferrals.flatMap(({ key, dueAt, slotAtMs }) =>
      deferred.has(key.id) && slotAtMs === dueAt ? [{ key: { ...key, dueAt }, slotAtMs }] : [],
    );
    await enqueueSlots(this.#deps, this.#speed, shard, withMessage);
    // The limits have changed meanwhile, or another consumer has the delivery. The next claim finds out.
    const others = deferrals.flatMap(({ key }) => (deferred.has(key.id) ? [] : [key]));
    await enqueue(this.#deps, this.#speed, shard, others);
  }

  #deferral(delivery: LimitedDelivery, slotAtMs: number): Deferral {
    const isFar = slotAtMs - this.#deps.now() > LONGEST_SLOT_MESSAGE_DELAY_MS;
    return { key: keyOf(delivery), dueAt: isFar ? slotAtMs - DUE_BEFORE_SWEPT_SLOT_MS : slotAtMs, slotAtMs };
  }

  /** Without its gate's leave nothing is sent. */
  async #postpone(shard: number, deliveries: readonly LimitedDelivery[]): Promise<void> {
    const dueAt = this.#deps.now() + GATE_RETRY_MS;
    const deferrals = deliveries.map((delivery) => ({
      key: keyOf(delivery),
      dueAt,
      slotAtMs: delivery.slotAtMs === null ? null : Math.max(delivery.slotAtMs, dueAt),
    }));
    await postponeDeliveries(this.#deps.shards.db(shard), deferrals);
    const keys = deferrals.map(({ key }) => ({ ...key, dueAt }));
    await enqueue(this.#deps, this.#speed, shard, keys, GATE_RETRY_MS / 1000);
  }

  async #release(shard: number, subscriptionId: string, id: string, limits: Limits): Promise<void> {
    const gate = this.#gates.of(subscriptionId);
    try {
      const free = await inTime(gate.release(limits, [id], this.#claim));
      if (free === 0) return;
      const next = await readLine(this.#deps.shards.db(shard), subscriptionId, free);
      if (next.length < free) await inTime(gate.setWaiting(limits, next.length));
      if (next.length === 0) return;
      if (this.#deps.now() < this.#endsCallsMs) return await this.#ask(shard, next, () => "next");
      await enqueue(this.#deps, this.#speed, shard, next.map(keyOf), 0, { hasSlots: true });
    } catch (error) {
      // The place frees itself in a while, and the next delivery comes by itself.
      log("warn", "gate not reached", { webhookId: subscriptionId, count: 1, ...describeError(error) });
    }
  }
}

const standingOf = ({ isTest, slotAtMs }: LimitedDelivery): Demand["standing"] => {
  if (isTest) return "test";
  return slotAtMs === null ? "new" : "back";
};

const keyOf = ({ queue, dueAt, id, subscriptionId, bytes }: OutboxKey): OutboxKey => ({
  queue,
  dueAt,
  id,
  subscriptionId,
  bytes,
});

function limitedOf(delivery: Starting<ClaimedDelivery>): LimitedDelivery {
  const { atMs: slotAtMs, limits, limitsText } = delivery.start;
  return { ...keyOf(delivery), isTest: delivery.kind === "test", slotAtMs, limits, limitsText };
}
