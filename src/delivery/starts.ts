/**
 * The deliveries of limited subscriptions in one run. Their gates say when each may start. Those that may start soon stay in the run and
 * are claimed shortly before. The others go back to the outbox until their slots, and are sent nothing meanwhile.
 */
import type { Deps } from "../deps";
import type { Answer, Demand } from "../gates/gate";
import { type Limits, maxDelayMs } from "../gates/limits";
import { describeError, log } from "../log";
import { type ClaimedDelivery, releaseDeliveries } from "./claim-store";
import { enqueue, enqueueSlots, type QueueSpeed } from "./enqueue";
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
  GATE_TIMEOUT_MS,
  LEAD_MS,
  LEAD_OF_CLAIMED_MS,
  LONGEST_SLOT_MESSAGE_DELAY_MS,
} from "./timing";

const CALLS_FOR_MS = 8_000;

/** The leave of a gate to start a delivery. */
export interface Start {
  /** Unix ms. */
  atMs: number;
  /** It may start up to this moment, Unix ms. */
  latestMs: number;
  limits: Limits;
  limitsText: string;
}

/** A delivery with the leave to start. Without `start`, its subscription is not limited, or its gate has not been asked. */
export interface StartingKey extends ShardKey {
  start?: Start | undefined;
}

type Starting<T> = T & { shard: number; start: Start };

export class Starts {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  /** The token of the run's claims. It also names the run to the gates. */
  readonly #claim: string;
  #granted: Starting<OutboxKey>[] = [];
  readonly #asking = new Set<Promise<void>>();
  /** From then on the run calls no deliveries to places any more, because the runtime ends what takes longer than 30 s. */
  readonly #endsCallsMs: number;

  constructor(deps: Deps, speed: QueueSpeed, claim: string) {
    this.#deps = deps;
    this.#speed = speed;
    this.#claim = claim;
    this.#endsCallsMs = deps.now() + CALLS_FOR_MS;
  }

  /** Whether no delivery of the run waits for its start or for an answer. */
  get areDone(): boolean {
    return this.#granted.length + this.#asking.size === 0;
  }

  /** The deliveries that should be claimed now. */
  get toClaim(): readonly Starting<OutboxKey>[] {
    const untilMs = this.#deps.now() + CLAIM_BEFORE_START_MS;
    return this.#granted.filter(({ start }) => start.atMs <= untilMs);
  }

  /** When the next delivery should be claimed, Unix ms; Infinity if there is none. */
  get nextClaimMs(): number {
    return Math.min(...this.#granted.map(({ start }) => start.atMs)) - CLAIM_BEFORE_START_MS;
  }

  /** Removes those of `keys` that have leave to start. */
  remove(keys: ReadonlySet<StartingKey>): void {
    this.#granted = this.#granted.filter((key) => !keys.has(key));
  }

  /** Removes and returns what should be claimed now. */
  takeToClaim(): Starting<OutboxKey>[] {
    const taken = [...this.toClaim];
    this.remove(new Set(taken));
    return taken;
  }

  /** Asks the gates of limited deliveries, in the background. */
  ask(shard: number, deliveries: readonly LimitedDelivery[]): void {
    for (const group of Map.groupBy(deliveries, ({ subscriptionId }) => subscriptionId).values()) {
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
   * Asks the gate for another start of a claimed delivery that has missed its own. Returns undefined when that is after `latestMs` (Unix ms):
   * the delivery is then released. Throws when D1 is down.
   */
  async again(delivery: Starting<ClaimedDelivery>, latestMs: number): Promise<Start | undefined> {
    const limited = limitedOf(delivery);
    const answers = await this.#reserve([limited], () => "back", LEAD_OF_CLAIMED_MS);
    const answer = answers?.[0];
    if (answer?.kind === "start" && answer.atMs <= latestMs) return startOf(limited, answer.atMs);
    const db = this.#deps.shards.db(delivery.shard);
    await releaseDeliveries(db, this.#claim, [delivery]);
    await this.#follow(delivery.shard, [limited], answers);
    return undefined;
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
    await this.#follow(shard, deliveries, await this.#reserve(deliveries, standing, LEAD_MS));
  }

  /** Asks one gate. Returns null when it cannot be reached. */
  async #reserve(
    deliveries: readonly LimitedDelivery[],
    standing: (delivery: LimitedDelivery) => Demand["standing"],
    leadMs: number,
  ): Promise<Answer[] | null> {
    const [first] = deliveries;
    if (!first) return [];
    const { subscriptionId, limits } = first;
    const demands = deliveries.map((delivery) => ({
      id: delivery.id,
      standing: standing(delivery),
      slotAtMs: delivery.slotAtMs,
    }));
    try {
      return await inTime(this.#gate(subscriptionId).reserve(limits, demands, { holder: this.#claim, leadMs }));
    } catch (error) {
      log("warn", "gate not reached", { webhookId: subscriptionId, count: deliveries.length, ...describeError(error) });
      return null;
    }
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
      if (answer?.kind === "start")
        this.#granted.push({ ...keyOf(delivery), shard, start: startOf(delivery, answer.atMs) });
      else if (answer?.kind === "wait") deferrals.push(this.#deferral(delivery, answer.untilMs));
    }
    const [first] = deliveries;
    if (!first || deferrals.length === 0) return;
    await this.#defer(shard, deferrals, first.limitsText);
    await tellIfThrottled(this.#deps, shard, first, answers);
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
    const gate = this.#gate(subscriptionId);
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

  #gate(subscriptionId: string) {
    const { gates } = this.#deps;
    return gates.get(gates.idFromName(subscriptionId));
  }
}

/** Waits for a start. Returns false when it has passed. */
export async function comesInTime({ atMs, latestMs }: Start, now: () => number): Promise<boolean> {
  for (let leftMs = atMs - now(); leftMs > 0; leftMs = atMs - now()) await scheduler.wait(leftMs);
  return now() <= latestMs;
}

const standingOf = ({ isTest, slotAtMs }: LimitedDelivery): Demand["standing"] => {
  if (isTest) return "test";
  return slotAtMs === null ? "new" : "back";
};

const startOf = ({ limits, limitsText }: Pick<LimitedDelivery, "limits" | "limitsText">, atMs: number): Start => ({
  atMs,
  latestMs: atMs + (limits.rateLimit ? maxDelayMs(limits.rateLimit) : Infinity),
  limits,
  limitsText,
});

const keyOf = ({ queue, dueAt, id, subscriptionId, bytes }: OutboxKey): OutboxKey => ({
  queue,
  dueAt,
  id,
  subscriptionId,
  bytes,
});

function limitedOf(delivery: Starting<ClaimedDelivery>): LimitedDelivery {
  const { limits, limitsText } = delivery.start;
  return { ...keyOf(delivery), isTest: delivery.kind === "test", slotAtMs: null, limits, limitsText };
}

/** Throws when the gate does not answer in time. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${GATE_TIMEOUT_MS} ms`)), GATE_TIMEOUT_MS);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
