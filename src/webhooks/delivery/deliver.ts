/**
 * Claims, sends and records the deliveries of one invocation. At most six sends run at once, because the runtime opens six connections per
 * invocation, and a seventh send would wait while its timeout runs. A delivery is claimed only when it can start soon. A duplicate or
 * late message finds nothing to claim.
 */
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { ShardKey } from "../../platform/messages";
import { isLimitedHere } from "../throttling/limited-here";
import { type StartingKey, Starts } from "../throttling/starts";
import { claimDeliveries } from "./claim-store";
import type { Claimed } from "./claimed";
import { enqueue, type QueueSpeed } from "./enqueue";
import { handBack, markSlowInBackground, moveToBacklogs } from "./hand-back";
import { isHeldHere, isUnreleased } from "./holds";
import { refreshTargets } from "./refresh";
import { isTooMuch, planClaim, takeNext, takenAtMs, withoutStart } from "./selection";
import { endAbandoned, hangs, holdBytes, WATCH_EVERY_MS, watch } from "./send-load";
import { Sends } from "./sends";
import { ASK_INTERVAL_MS, PASS_ON_AFTER_MS, STALLED_AFTER_MS, START_WITHIN_MS, TARGET_FRESH_FOR_MS } from "./timing";

const MAX_CONCURRENT_SENDS = 6;
/** Longer than the time between the claim of a delivery and its slot. */
const WAIT_UNTIL_DUE_SECONDS = 2;

/** The deliveries of one invocation. Call `add` any number of times, and then `finished` once. */
export class DeliveryRun {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  readonly #claim = newId();
  readonly #sends: Sends;
  readonly #starts: Starts;
  #waiting: StartingKey[] = [];
  #ready: Claimed[] = [];
  #workers = new Set<Promise<void>>();
  #claiming: Promise<void> | null = null;
  #claimError: unknown = null;
  #refreshing: Promise<void> | null = null;
  /** Two messages can name the same delivery. Both claims would succeed, because they use the same token. */
  readonly #seen = new Set<string>();
  /** Resolved when a start is known or a claim begins, so that nothing sleeps through it. */
  #woken = Promise.withResolvers<void>();
  /** When starts were last asked for, Unix ms. */
  #askedMs = 0;
  readonly #allStarted = Promise.withResolvers<void>();
  #lastProgressMs: number;

  constructor(deps: Deps, speed: QueueSpeed) {
    this.#deps = deps;
    this.#speed = speed;
    this.#starts = new Starts(deps, speed, this.#claim, () => this.#wake());
    this.#sends = new Sends(deps, this.#claim, this.#starts);
    this.#lastProgressMs = deps.now();
  }

  /** Delivers those of `keys` that are due. Resolves when each is claimed, ended or queued again. Throws when a claim fails. */
  async add(keys: readonly ShardKey[]): Promise<void> {
    const wanted = keys.filter((key) => this.#isNew(key));
    this.#waiting.push(...wanted);
    this.#takeLimited();
    this.#lastProgressMs = this.#deps.now();
    while (this.#workers.size < Math.min(MAX_CONCURRENT_SENDS, wanted.length)) this.#startWorker();
    const passOnAtMs = this.#deps.now() + PASS_ON_AFTER_MS;
    while (this.#waiting.length > 0 || this.#claiming) {
      // The timer is only for progress: a claim that ends or begins wakes this loop.
      await Promise.race([this.#claiming ?? this.#woken.promise, scheduler.wait(WATCH_EVERY_MS)]);
      if (this.#claimError) throw this.#claimError;
      await this.#checkProgress();
      if (this.#deps.now() >= passOnAtMs) this.#passOnExcess();
    }
    if (this.#claimError) throw this.#claimError;
  }

  /** Delivers those of `keys` that may start, each in its slot. Their messages arrive before their slots. */
  addSlots(keys: readonly ShardKey[]): void {
    const wanted = keys.filter((key) => this.#isNew(key));
    this.#askGates(wanted);
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
    this.#starts.tellMade();
    await this.#sends.flush();
  }

  /** Marks hanging subscriptions as slow before they time out. If no send has started or ended for a while, hands back the rest. */
  async #checkProgress(): Promise<void> {
    const nowMs = this.#deps.now();
    endAbandoned(nowMs);
    watch(nowMs);
    for (const { shard, subscriptionId } of this.#sends.inProgress) {
      if (hangs(subscriptionId, nowMs)) markSlowInBackground(this.#deps, shard, subscriptionId);
    }
    const isStalled = nowMs - this.#lastProgressMs >= STALLED_AFTER_MS;
    if (!isStalled || this.#waiting.length + this.#ready.length + this.#starts.toClaim.length === 0) return;
    const waiting = [...this.#waiting.splice(0), ...this.#starts.takeToClaim()];
    this.#lastProgressMs = nowMs;
    this.#handBack(() => true, waiting);
  }

  /** Hands back the claimed deliveries that have not started and that `isChosen` selects, and `waiting`, which nobody has claimed. */
  #handBack(isChosen: (delivery: Claimed) => boolean, waiting: readonly StartingKey[] = []): void {
    const chosen = this.#ready.filter(isChosen);
    this.#ready = this.#ready.filter((delivery) => !isChosen(delivery));
    for (const { releaseBytes } of chosen) releaseBytes();
    if (chosen.length + waiting.length === 0) return;
    this.#starts.drop([...waiting, ...chosen]);
    this.#deps.background("hand back", handBack(this.#deps, this.#speed, this.#claim, waiting, chosen));
  }

  /** Only once a send has started: a run that can start nothing would pass everything on, and so would the next run. */
  #passOnExcess(): void {
    if (this.#sends.inProgress.size === 0 || !isTooMuch(this.#speed, this.#waiting)) return;
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
      this.#askForStarts();
      const delivery = takeNext(this.#speed, this.#ready, this.#deps.now());
      if (delivery) await this.#attempt(delivery);
      else if (this.#claimError) return;
      else if (this.#claiming || this.#claimNext()) await Promise.race([this.#claiming, this.#pause()]);
      else if (this.#waiting.length > 0 || this.#ready.length > 0 || !this.#starts.areDone) await this.#pause();
      else return;
    }
  }

  /** Waits a little, at most until a delivery should be claimed or taken. */
  #pause(): Promise<void> {
    const nowMs = this.#deps.now();
    const askAgainMs = this.#askedMs + ASK_INTERVAL_MS;
    const momentsMs = [this.#starts.nextClaimMs, askAgainMs, ...this.#ready.map(takenAtMs)].filter(
      (timeMs) => timeMs > nowMs,
    );
    const waitMs = Math.min(WATCH_EVERY_MS, ...momentsMs.map((timeMs) => timeMs - nowMs));
    return Promise.race([scheduler.wait(waitMs), this.#woken.promise]);
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
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
        this.#starts.drop(keys);
      })
      .finally(() => {
        this.#claiming = null;
      });
    this.#wake();
    return true;
  }

  async #claimKeys(shard: number, keys: readonly StartingKey[]): Promise<void> {
    const claimedMs = this.#deps.now();
    const db = this.#deps.shards.db(shard);
    const run = { speed: this.#speed, claim: this.#claim };
    const { claimed, slow, held, limited } = await claimDeliveries(db, run, keys, claimedMs);
    const startOf = new Map(keys.map(({ id, start }) => [id, start]));
    this.#ready.push(
      ...claimed.map((delivery) => ({
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
    this.#starts.drop(keys.filter(({ id }) => !claimedIds.has(id)));
    this.#starts.ask(shard, limited);
    this.#takeLimited();
    const known = new Set([...claimed, ...slow, ...held, ...limited].map(({ id }) => id));
    // Their subscriptions have no limits any more, so they become due only at their slots.
    const early = keys.filter(({ id, start }) => start && !known.has(id));
    // In the background, so that a failing queue does not delay what is claimed. The sweep replaces lost messages.
    this.#deps.background("wait until due", enqueue(this.#deps, this.#speed, shard, early, WAIT_UNTIL_DUE_SECONDS));
    if (slow.length > 0) this.#deps.background("pass on to the slow queue", enqueue(this.#deps, "slow", shard, slow));
    if (held.length > 0) this.#deps.background("wait for a hold", moveToBacklogs(this.#deps, shard, held));
  }

  /** Moves the deliveries whose gates must be asked out of `#waiting`, so that they do not delay the others. */
  #takeLimited(): void {
    const { limited = [], others = [] } = Object.groupBy(this.#waiting, ({ subscriptionId }) =>
      isLimitedHere(subscriptionId) ? "limited" : "others",
    );
    this.#waiting = others;
    this.#askGates(limited);
  }

  #askGates(keys: readonly ShardKey[]): void {
    this.#starts.readAndAsk(keys, (others) => {
      this.#waiting.push(...others);
      this.#wake();
    });
  }

  /** Asks for starts for the claimed deliveries that should start soon and have none, or have missed theirs. */
  #askForStarts(): void {
    const nowMs = this.#deps.now();
    if (nowMs - this.#askedMs < ASK_INTERVAL_MS) return;
    const asking = withoutStart(this.#ready, nowMs);
    if (asking.length === 0) return;
    this.#askedMs = nowMs;
    const chosen = new Set<Claimed>(asking);
    this.#ready = this.#ready.filter((delivery) => !chosen.has(delivery));
    this.#starts.askForStarts(asking, {
      latestMs: ({ claimedMs }) => claimedMs + START_WITHIN_MS,
      onStart: (delivery) => {
        this.#ready.push(delivery);
        this.#wake();
      },
      onRelease: ({ releaseBytes }) => releaseBytes(),
    });
  }

  async #attempt(delivery: Claimed): Promise<void> {
    let isLate = false;
    this.#lastProgressMs = this.#deps.now();
    if (this.#waiting.length + this.#ready.length === 0) this.#allStarted.resolve();
    try {
      isLate = !(await this.#sends.attempt(delivery));
    } finally {
      if (isLate) this.#ready.push(delivery);
      else delivery.releaseBytes();
      this.#lastProgressMs = this.#deps.now();
    }
  }

  /**
   * If a delivery has waited for a second, reads URL, secret and pause again, because they may have changed since the claim. One read
   * serves all deliveries of the run. Hands back those that can no longer start in time or whose subscription is held. Never throws.
   */
  async #refreshTargets(): Promise<void> {
    const isStale = ({ readMs }: Claimed) => this.#deps.now() - readMs > TARGET_FRESH_FOR_MS;
    this.#handBackLate();
    while (this.#ready.some(isStale)) {
      this.#refreshing ??= this.#readTargets().finally(() => {
        this.#refreshing = null;
      });
      await this.#refreshing;
      // Again, because a slow read can use up the time before the start.
      this.#handBackLate();
    }
  }

  #handBackLate(): void {
    const nowMs = this.#deps.now();
    const isHeld = ({ kind, subscriptionId }: Claimed) => kind !== "test" && isHeldHere(subscriptionId, nowMs);
    // A limited delivery asks its gate again instead.
    const isLate = ({ claimedMs, start }: Claimed) => !start && nowMs - claimedMs > START_WITHIN_MS;
    this.#handBack((delivery) => isLate(delivery) || isHeld(delivery) || isUnreleased(delivery));
  }

  async #readTargets(): Promise<void> {
    const failed = await refreshTargets(this.#deps, this.#ready);
    this.#handBack((delivery) => failed.has(delivery));
  }
}
