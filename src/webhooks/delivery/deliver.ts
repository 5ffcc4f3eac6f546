/**
 * Claims, sends and records the deliveries of one invocation; run-states.ts has the states that they go through. A
 * delivery is claimed only when it can start soon. A duplicate or late message finds nothing to claim.
 */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { ShardKey } from "../../base/messages";
import type { QueueSpeed } from "../plane/enqueue";
import { isUnreleased } from "../plane/lane";
import { BLOCKED_AFTER_MS, MAX_SENDS_OF_RUN, PATIENCE_MS, WATCH_EVERY_MS } from "../plane/timing";
import { type Decrypt, decryptOnce } from "../signing/keys";
import { makeAttempt, noResult } from "./attempt";
import { Changes } from "./changes";
import { Claims } from "./claims";
import { resumeFanOuts } from "./fan-outs";
import { handBack, markSlowInBackground, queueAfterFault, releaseUnsent } from "./hand-back";
import { coolDownHere, isCoolingHere } from "./isolate-memory";
import { feedAfter, feedAfterClaim } from "./lanes/feed";
import { giveUpOldPlaces, hasKeptPlace, hasPlace, isWithinWidth } from "./places";
import { createRecorder, type Recorder } from "./recorder";
import { isStale, Refreshes } from "./refreshes";
import { type Claimed, type Run, RunStates } from "./run-states";
import { excessOf, isSpent, nextToSend, workMs } from "./selection";
import { endAbandoned, hangs, isQuick, isSilent, startSend, watch } from "./send-load";
import { FarDeliveries } from "./throttling/far";
import { Starts } from "./throttling/starts";

/** How often a run looks for deliveries that have no place. */
const STUCK_EVERY_MS = PATIENCE_MS / 4;

/** The deliveries of one invocation. Call `add` any number of times, and then `finished` once. */
export class DeliveryRun {
  readonly #run: Run;
  readonly #deps: Deps;
  readonly #states = new RunStates();
  readonly #claims: Claims;
  readonly #starts: Starts;
  readonly #recorders = new Map<number, Recorder>();
  readonly #decrypt: Decrypt;
  readonly #far: FarDeliveries;
  #passOnAtMs = 0;
  #nextStuckMs = 0;
  #lastProgressMs = 0;
  /** When the loop last looked at the deliveries (Unix ms), how often it has, and when it next has. */
  #lookedMs: number;
  #looks = 0;
  readonly #look = new Changes();
  /** The loop that moves deliveries on, while there are any. It can end before it has waited for anything. */
  #loop = Promise.resolve();
  #isLooping = false;
  readonly #changes = new Changes();
  readonly #refreshes: Refreshes;
  /** The keys for whose claims a caller of `add` waits, and those of them that could not be claimed. */
  readonly #awaited = new Set<ShardKey>();
  readonly #failed = new Set<ShardKey>();

  constructor(deps: Deps, speed: QueueSpeed) {
    this.#run = { deps, speed, claim: newId() };
    this.#deps = deps;
    this.#decrypt = decryptOnce(deps.keys);
    this.#lookedMs = deps.now();
    this.#starts = new Starts(this.#run, {
      onStart: this.#wake,
      onDeferred: (delivery) => {
        this.#leave(delivery);
        deps.background("feed a lane", feedAfter(deps, delivery.shard, [delivery]));
      },
    });
    this.#refreshes = new Refreshes(deps, this.#endRefresh);
    this.#far = new FarDeliveries(this.#run);
    this.#claims = new Claims(this.#run);
  }

  /**
   * Delivers those of `keys` that are due. Resolves when each is claimed, ended or queued again, or waits for a
   * receiver: nobody else waits for that. Returns those that could not be claimed, whose messages must come again.
   */
  async add(keys: readonly ShardKey[]): Promise<ShardKey[]> {
    const added = this.#states.add(keys);
    if (added.length === 0) return [];
    this.#passOnAtMs = this.#deps.now() + PATIENCE_MS;
    this.#nextStuckMs = 0;
    this.#lastProgressMs = this.#deps.now();
    for (const key of added) this.#awaited.add(key);
    const looks = this.#looks;
    const mayBeClaimed = () => looks === this.#looks || this.#claims.isOpen || this.#far.isAsking;
    if (!this.#isLooping) this.#loop = this.#deliver();
    this.#wake();
    while (mayBeClaimed() && added.some((key) => this.#states.is(key, "waiting"))) await this.#look.next();
    for (const key of added) this.#awaited.delete(key);
    return added.filter((key) => this.#failed.has(key));
  }

  /** Resolves when every send has ended and its result is recorded, and wide events may go on. Never throws. */
  async finished(): Promise<void> {
    await this.#loop;
    await Promise.all(Array.from(this.#recorders.values(), (recorder) => recorder.flush()));
    this.#deps.background("resume fan-outs", resumeFanOuts(this.#deps));
  }

  async #deliver(): Promise<void> {
    this.#isLooping = true;
    while (!this.#states.areFinal) {
      const nowMs = this.#deps.now();
      this.#noteLook(nowMs);
      this.#watchSends(nowMs);
      this.#handBackLate(nowMs);
      this.#refreshes.start(this.#startable(nowMs), nowMs);
      this.#startSends(nowMs);
      this.#deferFar();
      this.#startClaims();
      this.#passOn(nowMs);
      this.#noteLooked();
      if (!this.#states.areFinal) await this.#changes.next(this.#nextMomentMs(nowMs), nowMs);
    }
    this.#changes.clear();
    this.#isLooping = false;
    this.#noteLooked();
  }

  #noteLooked(): void {
    this.#looks += 1;
    this.#look.wake();
  }

  #wake = (): void => this.#changes.wake();

  /** While the isolate was blocked, it could read no answers, so that time does not count as a stall. */
  #noteLook(nowMs: number): void {
    const sinceMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    if (sinceMs >= BLOCKED_AFTER_MS) this.#lastProgressMs = Math.min(nowMs, this.#lastProgressMs + sinceMs);
  }

  /** When to look at the deliveries again, even if nothing happens. */
  #nextMomentMs(nowMs: number): number {
    const startsMs = this.#states.claimed.map(({ startMs }) => startMs).filter((startMs) => startMs > nowMs);
    return Math.min(nowMs + WATCH_EVERY_MS, ...startsMs);
  }

  /** The claimed deliveries whose starts have come. */
  #startable = (nowMs: number): Claimed[] => this.#states.claimed.filter(({ startMs }) => startMs <= nowMs);

  /** The waiting deliveries that are not just being claimed or deferred. */
  #unclaimed = (): ShardKey[] =>
    this.#states.waiting.filter((key) => !this.#claims.isClaiming(key) && !this.#far.isDeferring(key));

  /** Marks hanging subscriptions as slow before they time out. */
  #watchSends(nowMs: number): void {
    endAbandoned(nowMs);
    giveUpOldPlaces(nowMs);
    watch(nowMs);
    for (const { shard, subscriptionId } of this.#states.sending) {
      if (hangs(subscriptionId, nowMs)) markSlowInBackground(this.#deps, shard, subscriptionId);
    }
  }

  /**
   * Hands back what cannot start in time or is held by now, and everything while no send of the run ends. A delivery
   * whose start is asked for stays until the answer, which can be a permit.
   */
  #handBackLate(nowMs: number): void {
    const isCooling = ({ kind, subscriptionId }: Claimed) => kind !== "test" && isCoolingHere(subscriptionId, nowMs);
    const isStalled = this.#states.sending.length > 0 && nowMs - this.#lastProgressMs >= PATIENCE_MS;
    const chosen = this.#states.claimed.filter(
      (delivery) =>
        !this.#starts.isAsked(delivery) &&
        ((isStalled && delivery.startMs <= nowMs) ||
          nowMs > delivery.startByMs ||
          isCooling(delivery) ||
          isUnreleased(delivery)),
    );
    this.#handBack(isStalled ? this.#unclaimed() : [], chosen);
  }

  /** A delivery whose subscription could not be read again is handed back, unless it has been meanwhile. */
  #endRefresh = (unread: readonly Claimed[]): void => {
    this.#handBack(
      [],
      unread.filter((delivery) => this.#states.is(delivery, "claimed")),
    );
    this.#wake();
  };

  /** At most five at once: the runtime opens six connections, and a send that waited would lose time of its timeout. */
  #startSends(nowMs: number): void {
    while (this.#states.sending.length < MAX_SENDS_OF_RUN) {
      const fresh = this.#startable(nowMs).filter((delivery) => !isStale(delivery, nowMs));
      const delivery = this.#nextToSend(fresh, nowMs);
      if (!delivery) return;
      if (this.#starts.hasMissed(delivery, nowMs)) this.#starts.ask([delivery]);
      else this.#deps.background("deliver", this.#send(delivery));
    }
  }

  /** The last connection is for receivers that answer at once, so that they do not wait for others. */
  #nextToSend(items: readonly Claimed[], nowMs: number): Claimed | undefined {
    const isLast = this.#run.speed === "fast" && this.#states.sending.length === MAX_SENDS_OF_RUN - 1;
    return nextToSend(isLast ? items.filter((item) => isQuick(item.subscriptionId, nowMs)) : items, nowMs);
  }

  async #send(delivery: Claimed): Promise<void> {
    this.#states.send(delivery);
    this.#lastProgressMs = this.#deps.now();
    const endSend = startSend(delivery.subscriptionId, this.#deps.now);
    const result = await makeAttempt(this.#deps, delivery, this.#decrypt).finally(endSend).catch(noResult);
    this.#lastProgressMs = this.#deps.now();
    this.#starts.end([delivery]);
    if (result !== null && "retryInMs" in result) releaseUnsent(this.#run, delivery, result);
    if (result === null || "retryInMs" in result) return this.#leave(delivery);
    if (result.cooldownUntil !== null) coolDownHere(result.subscriptionId, result.cooldownUntil, result.completedAt);
    this.#recorderOf(delivery.shard).add(result);
    this.#states.record(delivery);
    delivery.release();
    this.#wake();
  }

  #recorderOf(shard: number): Recorder {
    const recorder = this.#recorders.get(shard) ?? createRecorder(this.#deps, shard, this.#run.claim);
    this.#recorders.set(shard, recorder);
    return recorder;
  }

  /** Leaves out what is far from its start, before anything is claimed. */
  #deferFar(): void {
    this.#far.defer(this.#unclaimed, (keys) => {
      for (const key of keys.filter((one) => this.#states.is(one, "waiting"))) this.#states.handBack(key);
      this.#wake();
    });
  }

  /** Claims for each database, if a connection is free for more than what is claimed already. */
  #startClaims(): void {
    const nowMs = this.#deps.now();
    if (this.#states.sending.length >= MAX_SENDS_OF_RUN || this.#nextToSend(this.#startable(nowMs), nowMs)) return;
    const plannedMs = workMs(this.#startable(nowMs));
    const connections = MAX_SENDS_OF_RUN - this.#states.sending.length;
    this.#claims.start(this.#unclaimed(), plannedMs, connections, ({ shard, keys, claimed, hasFailed }) => {
      this.#lastProgressMs = this.#deps.now();
      for (const delivery of claimed) this.#states.claim(delivery);
      const left = keys.filter((one) => this.#states.is(one, "waiting"));
      for (const key of left) this.#states.handBack(key);
      if (hasFailed) this.#fail(left);
      this.#starts.ask(claimed);
      feedAfterClaim(this.#deps, shard);
      this.#wake();
    });
  }

  /** Deliveries could not be claimed: their messages come again, or new ones if the handler has ended. */
  #fail(keys: readonly ShardKey[]): void {
    const { awaited = [], others = [] } = Object.groupBy(keys, (key) =>
      this.#awaited.has(key) ? "awaited" : "others",
    );
    for (const key of awaited) this.#failed.add(key);
    queueAfterFault(this.#run, others);
  }

  /** Passes on what has no place because no send ends that would free one, and what would wait long here. */
  #passOn(nowMs: number): void {
    if (!this.#states.anyWaits) return;
    if (isSpent(this.#deps)) this.#handBack(this.#unclaimed());
    this.#passOnStuck(nowMs);
    if (nowMs < this.#passOnAtMs || this.#states.sending.length === 0) return;
    this.#passOnAtMs = nowMs + WATCH_EVERY_MS;
    this.#handBack(excessOf(this.#unclaimed()));
  }

  /** Not at each look, because thousands can wait, and each result makes the run look. */
  #passOnStuck(nowMs: number): void {
    if (nowMs < this.#nextStuckMs) return;
    this.#nextStuckMs = nowMs + STUCK_EVERY_MS;
    const isOver = nowMs >= this.#passOnAtMs;
    const isStalled = isOver && nowMs - this.#lastProgressMs >= PATIENCE_MS;
    const isStuck = (key: ShardKey) =>
      !hasKeptPlace(key.id) &&
      !hasPlace(key, nowMs) &&
      (isSilent(key.subscriptionId, nowMs) ?? (isStalled && isWithinWidth(key, nowMs)));
    this.#handBack(this.#unclaimed().filter(isStuck));
  }

  /** Queues unclaimed deliveries again, and claimed ones that have not started, which it releases first. */
  #handBack(waiting: readonly ShardKey[], claimed: readonly Claimed[] = []): void {
    const deferred = claimed.filter((delivery) => this.#starts.defer(delivery));
    const others = claimed.filter((delivery) => !deferred.includes(delivery));
    for (const key of waiting) this.#states.handBack(key);
    if (waiting.length + others.length === 0) return;
    for (const delivery of others) this.#leave(delivery);
    this.#starts.end(others);
    handBack(this.#run, [...waiting, ...others]);
    this.#wake();
  }

  #leave(delivery: Claimed): void {
    this.#states.handBack(delivery);
    delivery.release();
    this.#wake();
  }
}
