/**
 * The claims of one run: one at a time for each database, so that a database that fails or hangs holds up only its own
 * deliveries.
 */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { ShardKey } from "../../platform/messages";
import { inTime } from "../../platform/time";
import { limitsOf } from "../throttling/limits";
import { isOfTrial } from "../throttling/trial";
import { claimDeliveries } from "./claim-store";
import type { Claimed } from "./claimed";
import { enqueue, type QueueSpeed } from "./enqueue";
import { moveToBacklogs } from "./hand-back";
import { MAX_CLAIM, planClaim, workMs } from "./selection";
import { holdBytes } from "./send-load";
import { CLAIM_TIMEOUT_MS, LATE_CLAIM_MS, LATE_START_WITHIN_MS, START_AFTER_CLAIM_MS, START_WITHIN_MS } from "./timing";

/** After late claims, no claim is smaller than this. */
const FEWEST_OF_CLAIM = 5;

/** What a claim was asked for and what it got. The other keys need nothing more from this run. */
interface Answer {
  keys: readonly ShardKey[];
  claimed: readonly Claimed[];
}

export class Claims {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  readonly #token: string;
  /** What is being claimed, by database. */
  readonly #claiming = new Map<number, ReadonlySet<ShardKey>>();
  readonly #failed = new Set<ShardKey>();
  /** How many deliveries a claim takes. */
  #most = MAX_CLAIM;

  /** `token` is the token of the run's claims. */
  constructor(deps: Deps, speed: QueueSpeed, token: string) {
    this.#deps = deps;
    this.#speed = speed;
    this.#token = token;
  }

  isClaiming = (key: ShardKey): boolean => this.#claiming.get(key.shard)?.has(key) ?? false;

  /** Whether a claim of the key has failed. */
  hasFailed = (key: ShardKey): boolean => this.#failed.has(key);

  /**
   * Starts a claim for each database that has none, of what can start soon beside `plannedMs` of other sends. Calls
   * `onAnswer` for each. A failed claim ends all waiting deliveries of its database.
   */
  start(waiting: readonly ShardKey[], plannedMs: number, onAnswer: (answer: Answer) => void): void {
    let totalMs = plannedMs;
    for (const [shard, ofShard] of Map.groupBy(waiting, (key) => key.shard)) {
      if (this.#claiming.has(shard)) continue;
      const keys = planClaim(this.#speed, ofShard, this.#most, totalMs);
      if (keys.length === 0) continue;
      totalMs += workMs(keys);
      this.#claiming.set(shard, new Set(keys));
      const claim = this.#claim(shard, keys)
        .then((claimed) => ({ keys, claimed }))
        .catch((error: unknown) => {
          log("error", "batch not claimed", { shard, count: ofShard.length, ...describeError(error) });
          for (const key of ofShard) this.#failed.add(key);
          return { keys: ofShard, claimed: [] };
        })
        .then((answer) => {
          this.#claiming.delete(shard);
          onAnswer(answer);
        });
      this.#deps.background("claim deliveries", claim);
    }
  }

  async #claim(shard: number, keys: readonly ShardKey[]): Promise<Claimed[]> {
    const calledMs = this.#deps.now();
    const run = { speed: this.#speed, claim: this.#token };
    const answer = claimDeliveries(this.#deps.shards.db(shard), run, keys, calledMs);
    const { claimed, slow, held } = await inTime(CLAIM_TIMEOUT_MS, answer);
    const answeredMs = this.#deps.now();
    this.#adapt(answeredMs - calledMs);
    // In the background, so that a failing queue does not delay what is claimed. The sweep replaces lost messages.
    if (slow.length > 0) this.#deps.background("pass on to the slow queue", enqueue(this.#deps, "slow", shard, slow));
    if (held.length > 0) this.#deps.background("wait for a hold", moveToBacklogs(this.#deps, shard, held));
    return claimed.map((delivery) => ({
      ...delivery,
      shard,
      readMs: calledMs,
      startByMs: startByMs(calledMs, answeredMs),
      startMs: limitsOf(delivery.options) || isOfTrial(this.#deps, delivery) ? Infinity : 0,
      releaseBytes: holdBytes(delivery.bytes, calledMs),
    }));
  }

  /** A database that answers late is asked for less. */
  #adapt(tookMs: number): void {
    this.#most =
      tookMs >= LATE_CLAIM_MS ? Math.max(FEWEST_OF_CLAIM, this.#most >> 1) : Math.min(MAX_CLAIM, this.#most * 2);
  }
}

/** A claim that was answered late leaves its deliveries a little time, within what the lease allows. */
const startByMs = (calledMs: number, answeredMs: number): number =>
  Math.max(calledMs + START_WITHIN_MS, Math.min(answeredMs + START_AFTER_CLAIM_MS, calledMs + LATE_START_WITHIN_MS));
