/**
 * Claims, sends and records the deliveries of one invocation. At most six sends run at once, because the runtime opens six connections per
 * invocation, and a seventh send would wait while its timeout runs. A delivery is claimed only when it can start soon. A duplicate or
 * late message finds nothing to claim.
 */
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { type Decrypt, decryptOnce } from "../signing-keys/keys";
import { makeAttempt } from "./attempt";
import { claimDeliveries, readTargets, releaseDeliveries } from "./claim-store";
import type { Claimed } from "./claimed";
import { enqueue, type QueueSpeed } from "./enqueue";
import { handBack, markSlowInBackground, moveToBacklogs } from "./hand-back";
import { holdHere, isHeldHere, isUnreleased } from "./holds";
import type { ShardKey } from "./message";
import { createRecorder, type Recorder } from "./recorder";
import { isTooMuch, planClaim, takeNext } from "./selection";
import { endAbandoned, hangs, holdBytes, startSend, WATCH_EVERY_MS, watch } from "./send-load";
import { type StartingKey, Starts } from "./starts";
import {
  PASS_ON_AFTER_MS,
  STALLED_AFTER_MS,
  START_WITHIN_MS,
  TAKE_BEFORE_START_MS,
  TARGET_FRESH_FOR_MS,
} from "./timing";

const MAX_CONCURRENT_SENDS = 6;

/** The deliveries of one invocation. Call `add` any number of times, and then `finished` once. */
export class DeliveryRun {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  readonly #claim = newId();
  readonly #decrypt: Decrypt;
  readonly #recorders = new Map<number, Recorder>();
  readonly #starts: Starts;
  #waiting: StartingKey[] = [];
  #ready: Claimed[] = [];
  #workers = new Set<Promise<void>>();
  #claiming: Promise<void> | null = null;
  #claimError: unknown = null;
  #refreshing: Promise<void> | null = null;
  /** Attempts with a result. D1 returns a key that comes twice to both claims, which have one token, until the result is recorded. */
  readonly #ended = new Set<string>();
  readonly #sending = new Set<Claimed>();
  /** Two messages can name the same delivery. Both claims would succeed, because they use the same token. */
  readonly #seen = new Set<string>();
  readonly #allStarted = Promise.withResolvers<void>();
  #lastProgressMs: number;

  constructor(deps: Deps, speed: QueueSpeed) {
    this.#deps = deps;
    this.#speed = speed;
    this.#decrypt = decryptOnce(deps.keys);
    this.#starts = new Starts(deps, speed, this.#claim);
    this.#lastProgressMs = deps.now();
  }

  /** Delivers those of `keys` that are due. Resolves when each is claimed, has ended, or is queued again. Throws when a claim fails. */
  async add(keys: readonly ShardKey[]): Promise<void> {
    this.#waiting.push(...keys.filter((key) => this.#isNew(key)));
    this.#lastProgressMs = this.#deps.now();
    // Counted before the first worker starts, because a worker takes keys at once.
    const wanted = Math.min(MAX_CONCURRENT_SENDS, this.#waiting.length);
    while (this.#workers.size < wanted) this.#startWorker();
    const passOnAtMs = this.#deps.now() + PASS_ON_AFTER_MS;
    while (this.#waiting.length > 0 || this.#claiming) {
      await Promise.race([this.#claiming, scheduler.wait(WATCH_EVERY_MS)].filter((wait) => wait !== null));
      if (this.#claimError) throw this.#claimError;
      await this.#checkProgress();
      if (this.#deps.now() >= passOnAtMs) this.#passOnExcess();
    }
    if (this.#claimError) throw this.#claimError;
  }

  /** Delivers those of `keys` that may start, each in its slot. Their messages have come before their slots. */
  addSlots(keys: readonly ShardKey[]): void {
    const wanted = keys.filter((key) => this.#isNew(key));
    this.#starts.askForSlots(wanted);
    while (this.#workers.size < Math.min(MAX_CONCURRENT_SENDS, wanted.length)) this.#startWorker();
  }

  #isNew({ shard, id }: ShardKey): boolean {
    const name = `${shard} ${id}`;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  /** Resolves when no delivery waits for a connection any more. Never throws. */
  get allStarted(): Promise<void> {
    return this.#allStarted.promise;
  }

  /** Resolves when every send has ended and its result is recorded. Never throws. */
  async finished(): Promise<void> {
    while (this.#workers.size > 0) {
      await Promise.race([...this.#workers, scheduler.wait(WATCH_EVERY_MS)]);
      await this.#checkProgress();
    }
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
  }

  /** Marks hanging subscriptions as slow before they time out. If no send has started or ended for a while, hands back the rest. */
  async #checkProgress(): Promise<void> {
    const nowMs = this.#deps.now();
    endAbandoned(nowMs);
    watch(nowMs);
    for (const { shard, subscriptionId } of this.#sending) {
      if (hangs(subscriptionId, nowMs)) markSlowInBackground(this.#deps, shard, subscriptionId);
    }
    const isStalled = nowMs - this.#lastProgressMs >= STALLED_AFTER_MS;
    if (!isStalled || this.#waiting.length + this.#ready.length + this.#starts.toClaim.length === 0) return;
    const waiting = [...this.#waiting.splice(0), ...this.#starts.takeToClaim()];
    this.#lastProgressMs = nowMs;
    this.#handBack(() => true, waiting);
  }

  /** Hands back those claimed deliveries that have not started and of which `isChosen` is true, and `waiting`, which nobody has claimed. */
  #handBack(isChosen: (delivery: Claimed) => boolean, waiting: readonly StartingKey[] = []): void {
    const chosen = this.#ready.filter(isChosen);
    this.#ready = this.#ready.filter((delivery) => !isChosen(delivery));
    for (const { releaseBytes } of chosen) releaseBytes();
    if (chosen.length + waiting.length === 0) return;
    this.#starts.release([...waiting, ...chosen]);
    this.#deps.background("hand back", handBack(this.#deps, this.#speed, this.#claim, waiting, chosen));
  }

  /** Not before a send has started, because a run that can start nothing would pass on everything, and so would the next one. */
  #passOnExcess(): void {
    if (this.#sending.size === 0 || !isTooMuch(this.#speed, this.#waiting)) return;
    this.#handBack(() => false, this.#waiting.splice(0));
    this.#allStarted.resolve();
  }

  #startWorker(): void {
    const worker: Promise<void> = this.#work()
      .catch((error: unknown) => log("error", "delivery worker failed", describeError(error)))
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    for (;;) {
      await this.#refreshTargets();
      const delivery = takeNext(this.#speed, this.#ready, this.#deps.now() + TAKE_BEFORE_START_MS);
      if (delivery) await this.#attempt(delivery);
      else if (this.#claimError) return;
      else if (this.#claiming || this.#claimNext()) await Promise.race([this.#claiming, this.#pause()]);
      else if (this.#waiting.length > 0 || this.#ready.length > 0 || !this.#starts.areDone) await this.#pause();
      else return;
    }
  }

  /** Waits a little, but not longer than until a delivery should be claimed or taken. */
  #pause(): Promise<void> {
    const nowMs = this.#deps.now();
    const takenAtMs = this.#ready.map(({ start }) => (start?.atMs ?? 0) - TAKE_BEFORE_START_MS);
    const momentsMs = [this.#starts.nextClaimMs, ...takenAtMs].filter((timeMs) => timeMs > nowMs);
    return scheduler.wait(Math.min(WATCH_EVERY_MS, ...momentsMs.map((timeMs) => timeMs - nowMs)));
  }

  /** Starts to claim the deliveries that can start soon. Returns false when there are none. */
  #claimNext(): boolean {
    const keys = planClaim<StartingKey>(this.#speed, [...this.#starts.toClaim, ...this.#waiting]);
    const [first] = keys;
    if (!first) return false;
    const chosen = new Set(keys);
    this.#waiting = this.#waiting.filter((key) => !chosen.has(key));
    this.#starts.remove(chosen);
    this.#claiming = this.#claimKeys(first.shard, keys)
      .catch((error: unknown) => {
        this.#claimError = error;
        this.#starts.release(keys);
      })
      .finally(() => {
        this.#claiming = null;
      });
    return true;
  }

  async #claimKeys(shard: number, keys: readonly StartingKey[]): Promise<void> {
    const claimedMs = this.#deps.now();
    const db = this.#deps.shards.db(shard);
    const run = { speed: this.#speed, claim: this.#claim };
    const { claimed, slow, held, limited } = await claimDeliveries(db, run, keys, claimedMs);
    const taken = new Set([...this.#ended, ...[...this.#ready, ...this.#sending].map(({ attemptId }) => attemptId)]);
    const fresh = claimed.filter(({ attemptId }) => !taken.has(attemptId));
    const startOf = new Map(keys.map(({ id, start }) => [id, start]));
    this.#ready.push(
      ...fresh.map((delivery) => ({
        ...delivery,
        shard,
        start: startOf.get(delivery.id),
        claimedMs,
        readMs: claimedMs,
        releaseBytes: holdBytes(delivery.bytes, claimedMs),
      })),
    );
    this.#lastProgressMs = this.#deps.now();
    const claimedIds = new Set(claimed.map(({ id }) => id));
    this.#starts.release(keys.filter(({ id }) => !claimedIds.has(id)));
    this.#starts.ask(shard, limited);
    // In the background, so that a failing queue does not delay what is claimed. The sweep replaces lost messages.
    if (slow.length > 0) this.#deps.background("pass on to the slow queue", enqueue(this.#deps, "slow", shard, slow));
    if (held.length > 0) this.#deps.background("wait for a hold", moveToBacklogs(this.#deps, shard, held));
  }

  async #attempt(delivery: Claimed): Promise<void> {
    const { shard } = delivery;
    const endSend = startSend(delivery.subscriptionId, this.#deps.now);
    this.#sending.add(delivery);
    this.#lastProgressMs = this.#deps.now();
    if (this.#waiting.length + this.#ready.length === 0) this.#allStarted.resolve();
    try {
      const result = await this.#makeAttempt(delivery);
      if (result === "late") return;
      if (result === "deleted") await this.#release(delivery);
      else if ("retryInMs" in result) await this.#release(delivery, this.#deps.now() + result.retryInMs);
      else {
        if (result.heldUntil !== null) holdHere(result.subscriptionId, result.heldUntil, result.completedAt);
        this.#recorderOf(shard).add(result);
        this.#ended.add(delivery.attemptId);
      }
      this.#starts.release([delivery]);
    } finally {
      endSend();
      delivery.releaseBytes();
      this.#sending.delete(delivery);
      this.#lastProgressMs = this.#deps.now();
    }
  }

  /** Makes the attempt. Returns "late" when it missed its start and has to wait for another; it is released then. */
  async #makeAttempt(delivery: Claimed): Promise<Awaited<ReturnType<typeof makeAttempt>>> {
    for (;;) {
      const { start } = delivery;
      const result = await makeAttempt(this.#deps, delivery, this.#decrypt, start);
      if (result !== "late" || !start) return result;
      delivery.start = await this.#starts.again({ ...delivery, start }, delivery.claimedMs + START_WITHIN_MS);
      if (!delivery.start) return "late";
    }
  }

  /**
   * Reads URL, secret and pause again, which may have changed since the claim, if a delivery has waited for a second. One read serves all
   * deliveries of the run. Hands back those that can no longer start in time or whose subscription is held. Never throws.
   */
  async #refreshTargets(): Promise<void> {
    const isStale = ({ readMs }: Claimed) => this.#deps.now() - readMs > TARGET_FRESH_FOR_MS;
    this.#handBackLate();
    while (this.#ready.some(isStale)) {
      this.#refreshing ??= this.#readTargets().finally(() => {
        this.#refreshing = null;
      });
      await this.#refreshing;
      // Again, because a slow read uses up the time before the start.
      this.#handBackLate();
    }
  }

  #handBackLate(): void {
    const nowMs = this.#deps.now();
    const isHeld = ({ kind, subscriptionId }: Claimed) => kind !== "test" && isHeldHere(subscriptionId, nowMs);
    this.#handBack(
      (delivery) => nowMs - delivery.claimedMs > START_WITHIN_MS || isHeld(delivery) || isUnreleased(delivery),
    );
  }

  async #readTargets(): Promise<void> {
    for (const [shard, together] of Map.groupBy(this.#ready, (delivery) => delivery.shard)) {
      const readMs = this.#deps.now();
      const ids = new Set(together.map(({ subscriptionId }) => subscriptionId));
      try {
        const targets = await readTargets(this.#deps.shards.db(shard), [...ids], readMs);
        for (const delivery of together) {
          Object.assign(delivery, targets.get(delivery.subscriptionId) ?? { isDeleted: 1 }, { readMs });
        }
      } catch (error) {
        log("error", "subscriptions not read again", { shard, count: together.length, ...describeError(error) });
        this.#handBack((delivery) => together.includes(delivery));
      }
    }
  }

  /** Releases a delivery without using up an attempt. It is due again at `dueAt` (Unix ms), or queued at once when that is left out. */
  async #release(delivery: Claimed, dueAt?: number): Promise<void> {
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
