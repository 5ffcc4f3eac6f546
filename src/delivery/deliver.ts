/**
 * One invocation's deliveries: claim, send, record. At most six sends run at once, whatever the invocation is made of, because in production
 * a seventh connection waits inside its own timeout. Only what can start soon is claimed. The row in D1 decides, so a duplicate or late
 * message finds nothing to claim.
 */
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { makeAttempt } from "./attempt";
import { type ClaimedDelivery, claimDeliveries, readTargets, releaseDeliveries } from "./claim-store";
import { enqueue, type Lane } from "./enqueue";
import { handBack, noteSlow } from "./hand-back";
import type { OutboxKey } from "./message";
import { createRecorder, type Recorder } from "./recorder";
import { hangs, holdBytes, startSend } from "./send-load";
import { FRESH_FOR_MS, STALL_MS, START_WITHIN_MS, UNPREPARED_AGAIN_MS } from "./timing";
import { planWave, takeFairest } from "./wave";

const MAX_CONCURRENT_SENDS = 6;
const WATCH_EVERY_MS = 100;

export interface ShardKey extends OutboxKey {
  shard: number;
}

interface Claimed extends ClaimedDelivery {
  shard: number;
  /** When what is known of its subscription was read, Unix ms. */
  readMs: number;
  claimedMs: number;
  /** Counts its payload out of the isolate's memory. */
  releaseBytes: () => void;
}

/** The deliveries of one invocation. `add` as often as wanted; `finished` after the last one. */
export class DeliveryRun {
  readonly #deps: Deps;
  readonly #lane: Lane;
  readonly #claim = newId();
  readonly #recorders = new Map<number, Recorder>();
  #waiting: ShardKey[] = [];
  #ready: Claimed[] = [];
  #workers = new Set<Promise<void>>();
  #claiming: Promise<void> | null = null;
  #claimError: unknown = null;
  readonly #sending = new Set<Claimed>();
  /** A duplicate in one run would be claimed twice under one token. */
  readonly #seen = new Set<string>();
  #lastProgressMs: number;

  constructor(deps: Deps, lane: Lane) {
    this.#deps = deps;
    this.#lane = lane;
    this.#lastProgressMs = deps.now();
  }

  /** Delivers what is due of `keys`. Resolves when each of them is claimed, found ended, or queued again. Throws when a claim fails. */
  async add(keys: readonly ShardKey[]): Promise<void> {
    this.#waiting.push(...keys.filter((key) => this.#isNew(key)));
    this.#lastProgressMs = this.#deps.now();
    // Counted first: a worker takes keys as soon as it is employed.
    const wanted = Math.min(MAX_CONCURRENT_SENDS, this.#waiting.length);
    while (this.#workers.size < wanted) this.#employ();
    while (this.#waiting.length > 0 || this.#claiming) {
      await Promise.race([this.#claiming, scheduler.wait(WATCH_EVERY_MS)].filter((wait) => wait !== null));
      if (this.#claimError) throw this.#claimError;
      await this.#watch();
    }
    if (this.#claimError) throw this.#claimError;
  }

  #isNew({ shard, id }: ShardKey): boolean {
    const name = `${shard} ${id}`;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  /** Resolves when every send has ended and is recorded. Never throws. */
  async finished(): Promise<void> {
    while (this.#workers.size > 0) {
      await Promise.race([...this.#workers, scheduler.wait(WATCH_EVERY_MS)]);
      await this.#watch();
    }
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
  }

  /** Marks subscriptions that hang as slow, without waiting for a timeout. When nothing moves, what has not started is handed back. */
  async #watch(): Promise<void> {
    const nowMs = this.#deps.now();
    for (const { shard, subscriptionId } of this.#sending) {
      if (hangs(subscriptionId, nowMs)) noteSlow(this.#deps, shard, subscriptionId);
    }
    const isStalled = nowMs - this.#lastProgressMs >= STALL_MS && this.#waiting.length + this.#ready.length > 0;
    if (!isStalled) return;
    const [waiting, ready] = [this.#waiting.splice(0), this.#ready.splice(0)];
    this.#lastProgressMs = nowMs;
    for (const { releaseBytes } of ready) releaseBytes();
    this.#deps.background("hand back", handBack(this.#deps, this.#lane, this.#claim, waiting, ready));
  }

  #employ(): void {
    const worker: Promise<void> = this.#work()
      .catch((error: unknown) => log("error", "delivery worker failed", describeError(error)))
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    for (;;) {
      const delivery = takeFairest(this.#lane, this.#ready);
      if (delivery) await this.#attempt(delivery);
      else if (this.#claimError) return;
      else if (this.#claiming) await this.#claiming;
      else if (this.#claimWave()) await this.#claiming;
      else if (this.#waiting.length > 0 || this.#ready.length > 0) await scheduler.wait(WATCH_EVERY_MS);
      else return;
    }
  }

  /** Starts to claim what can start soon. False when nothing can. */
  #claimWave(): boolean {
    const wave = planWave(this.#lane, this.#waiting);
    const [first] = wave;
    if (!first) return false;
    const chosen = new Set(wave);
    this.#waiting = this.#waiting.filter((key) => !chosen.has(key));
    this.#claiming = this.#claimKeys(first.shard, wave)
      .catch((error: unknown) => {
        this.#claimError = error;
      })
      .finally(() => {
        this.#claiming = null;
      });
    return true;
  }

  async #claimKeys(shard: number, keys: readonly ShardKey[]): Promise<void> {
    const claimedMs = this.#deps.now();
    const db = this.#deps.shards.db(shard);
    const { claimed, slow } = await claimDeliveries(db, { lane: this.#lane, claim: this.#claim }, keys, claimedMs);
    this.#ready.push(
      ...claimed.map((delivery) => ({
        ...delivery,
        shard,
        claimedMs,
        readMs: claimedMs,
        releaseBytes: holdBytes(delivery.bytes),
      })),
    );
    this.#lastProgressMs = this.#deps.now();
    // Lost messages must not hold up what is claimed: the sweep sends them again.
    if (slow.length > 0) this.#deps.background("pass on to the slow queue", enqueue(this.#deps, "slow", shard, slow));
  }

  async #attempt(delivery: Claimed): Promise<void> {
    const { shard } = delivery;
    if (this.#deps.now() - delivery.claimedMs > START_WITHIN_MS) {
      delivery.releaseBytes();
      return handBack(this.#deps, this.#lane, this.#claim, [], [delivery]);
    }
    const endSend = startSend(delivery.subscriptionId, this.#deps.now);
    this.#sending.add(delivery);
    this.#lastProgressMs = this.#deps.now();
    try {
      if (this.#deps.now() - delivery.readMs > FRESH_FOR_MS) await this.#readAgain(delivery);
      const result = await makeAttempt(this.#deps, delivery);
      if (result === "deleted") await this.#putAway(delivery);
      else if (result === "our fault") await this.#putAway(delivery, this.#deps.now() + UNPREPARED_AGAIN_MS);
      else this.#recorderOf(shard).add(result);
    } finally {
      endSend();
      delivery.releaseBytes();
      this.#sending.delete(delivery);
      this.#lastProgressMs = this.#deps.now();
    }
  }

  /** A pause, a deletion, another URL or secret since the claim counts. One read serves all that wait. */
  async #readAgain(delivery: Claimed): Promise<void> {
    const readMs = this.#deps.now();
    const together = [delivery, ...this.#ready.filter(({ shard }) => shard === delivery.shard)];
    const ids = new Set(together.map(({ subscriptionId }) => subscriptionId));
    const targets = await readTargets(this.#deps.shards.db(delivery.shard), [...ids]);
    for (const waiting of together) {
      Object.assign(waiting, targets.get(waiting.subscriptionId) ?? { isDeleted: 1 }, { readMs });
    }
  }

  /** Without an attempt used up: a fault of ours, or a deletion that the next claim will notice. */
  async #putAway(delivery: Claimed, dueAt?: number): Promise<void> {
    await releaseDeliveries(this.#deps.shards.db(delivery.shard), this.#claim, [delivery], dueAt);
    if (dueAt === undefined) await enqueue(this.#deps, "slow", delivery.shard, [delivery]);
  }

  #recorderOf(shard: number): Recorder {
    const known = this.#recorders.get(shard);
    const recorder = known ?? createRecorder(this.#deps, shard, this.#claim);
    this.#recorders.set(shard, recorder);
    return recorder;
  }
}
