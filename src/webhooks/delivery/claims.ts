/**
 * The claims of one run: one at a time for each database, so that a database that fails or hangs holds up only its own
 * deliveries.
 */
import { describeError, log } from "../../base/log/log";
import type { ShardKey } from "../../base/messages";
import { inTime } from "../../base/time";
import { enqueue } from "../plane/enqueue";
import { moveToLanes } from "../plane/lane-store";
import {
  CLAIM_TIMEOUT_MS,
  LATE_AFTER_MS,
  LATE_CLAIM_MS,
  LATE_START_WITHIN_MS,
  START_AFTER_CLAIM_MS,
  START_WITHIN_MS,
} from "../plane/timing";
import { countClaiming } from "./backlog-room";
import { claimDeliveries } from "./claim-store";
import { noteFault, refuseWhileResting } from "./overload";
import { giveUpPlace, noteRest, takePlace } from "./places";
import type { Claimed, Run } from "./run-states";
import { MAX_CLAIM, planClaim, workMs } from "./selection";
import { holdBytes } from "./send-load";

/** After late claims, no claim is smaller than this. */
const FEWEST_OF_CLAIM = 5;

/** The keys that a claim has settled, and what it got of them. The others need nothing more from this run. */
interface Answer {
  shard: number;
  keys: readonly ShardKey[];
  claimed: readonly Claimed[];
  /** Whether the claim has failed, so that the messages of the keys must come again. */
  hasFailed: boolean;
}

/** What gives back the places of deliveries, by their ids. */
type PlaceById = ReadonlyMap<string, () => void>;
type OnAnswer = (answer: Answer) => void;

export class Claims {
  readonly #run: Run;
  /** What is being claimed, by database. */
  readonly #claiming = new Map<number, ReadonlySet<ShardKey>>();
  /** How many deliveries a claim takes. */
  #most = MAX_CLAIM;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Whether an answer is still to come. */
  get isOpen(): boolean {
    return this.#claiming.size > 0;
  }

  isClaiming = (key: ShardKey): boolean => this.#claiming.get(key.shard)?.has(key) ?? false;

  /**
   * Starts a claim for each database that has none, of what can start at once on so many connections, or soon beside
   * `plannedMs` of other sends. Calls `onAnswer` for each. A failed claim ends all waiting deliveries of its database.
   */
  start(waiting: readonly ShardKey[], plannedMs: number, connections: number, onAnswer: OnAnswer): void {
    const { deps } = this.#run;
    const lateBefore = deps.now() - LATE_AFTER_MS;
    let totalMs = plannedMs;
    for (const [shard, ofShard] of Map.groupBy(waiting, (key) => key.shard)) {
      if (this.#claiming.has(shard)) continue;
      const keys = planClaim(ofShard, deps.now(), { most: this.#most, plannedMs: totalMs, connections });
      if (keys.length === 0) continue;
      totalMs += workMs(keys);
      for (const { id } of keys) giveUpPlace(id);
      const places = new Map(keys.map((key) => [key.id, takePlace(key, deps.now())]));
      // An ordinary claim would leave what has waited so long. A wrong guess costs a round trip.
      const isOrdinary = keys.every(({ dueAt }) => dueAt >= lateBefore);
      deps.background("claim deliveries", this.#claimOf(shard, keys, ofShard, isOrdinary, places, onAnswer));
    }
  }

  /**
   * An ordinary claim takes nearly all deliveries. What it leaves is claimed thoroughly after it, and those that it has
   * claimed do not wait for that.
   */
  async #claimOf(
    shard: number,
    keys: readonly ShardKey[],
    waiting: readonly ShardKey[],
    isOrdinary: boolean,
    places: PlaceById,
    onAnswer: OnAnswer,
  ): Promise<void> {
    this.#claiming.set(shard, new Set(keys));
    try {
      const { claimed, left } = await this.#claim(shard, keys, isOrdinary, places);
      this.#claiming.delete(shard);
      const { open = [], settled = [] } = Object.groupBy(keys, ({ id }) => (left.has(id) ? "open" : "settled"));
      const isClaimed = new Set(claimed.map(({ id }) => id));
      for (const { id } of settled) if (!isClaimed.has(id)) places.get(id)?.();
      onAnswer({ shard, keys: settled, claimed, hasFailed: false });
      if (open.length > 0) await this.#claimOf(shard, open, open, false, places, onAnswer);
    } catch (error) {
      noteFault(shard, error, this.#run.deps.now());
      log("error", "batch not claimed", { shard, count: waiting.length, ...describeError(error) });
      this.#claiming.delete(shard);
      for (const { id } of keys) places.get(id)?.();
      onAnswer({ shard, keys: waiting, claimed: [], hasFailed: true });
    }
  }

  async #claim(shard: number, keys: readonly ShardKey[], isOrdinary: boolean, places: PlaceById) {
    const { deps, speed, claim } = this.#run;
    const calledMs = deps.now();
    refuseWhileResting(shard, calledMs);
    const db = deps.shards.db(shard);
    const answer = claimDeliveries(db, { speed, claim, isOrdinary }, keys, calledMs);
    const endClaiming = countClaiming(keys.length, calledMs);
    const { claimed: rows, slow, held, left } = await inTime(CLAIM_TIMEOUT_MS, answer).finally(endClaiming);
    const answeredMs = deps.now();
    // A database that answers late is asked for less.
    const isLate = answeredMs - calledMs >= LATE_CLAIM_MS;
    this.#most = isLate ? Math.max(FEWEST_OF_CLAIM, this.#most >> 1) : Math.min(MAX_CLAIM, this.#most * 2);
    // In the background, so that a failing queue does not delay what is claimed. The sweep replaces lost messages.
    if (slow.length > 0) deps.background("pass on to the slow queue", enqueue(deps, "slow", shard, slow));
    deps.background("wait for a hold", moveToLanes(db, held));
    const claimed = rows.map((delivery): Claimed => {
      const releaseBytes = holdBytes(delivery.bytes, calledMs);
      const release = () => {
        releaseBytes();
        places.get(delivery.id)?.();
        noteRest(delivery.subscriptionId, answeredMs, deps.now());
      };
      const times = { readMs: calledMs, startByMs: startByMs(calledMs, answeredMs), startMs: 0 };
      return { ...delivery, shard, ...times, release };
    });
    return { claimed, left };
  }
}

/** A claim that was answered late leaves its deliveries a little time, within what the lease allows. */
const startByMs = (calledMs: number, answeredMs: number): number =>
  Math.max(calledMs + START_WITHIN_MS, Math.min(answeredMs + START_AFTER_CLAIM_MS, calledMs + LATE_START_WITHIN_MS));
