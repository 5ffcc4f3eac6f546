/**
 * URL, secret and pause may have changed since a delivery was claimed, so they are read again before a send that starts
 * more than a second after that.
 */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { TARGET_FRESH_FOR_MS } from "../plane/timing";
import type { Claimed } from "./run-states";
import { readTargets } from "./target-store";

/** Whether the subscription of a delivery must be read again before its send. */
export const isStale = ({ readMs }: Claimed, nowMs: number): boolean => nowMs - readMs > TARGET_FRESH_FOR_MS;

/** The reads of one run. Each calls `onEnd` with the deliveries for which it has failed. */
export class Refreshes {
  readonly #deps: Deps;
  readonly #onEnd: (unread: readonly Claimed[]) => void;
  readonly #reading = new Set<Claimed>();

  constructor(deps: Deps, onEnd: (unread: readonly Claimed[]) => void) {
    this.#deps = deps;
    this.#onEnd = onEnd;
  }

  /** Reads for the stale ones of these deliveries, once for all of a database. */
  start(deliveries: readonly Claimed[], nowMs: number): void {
    const stale = deliveries.filter((delivery) => isStale(delivery, nowMs) && !this.#reading.has(delivery));
    for (const [shard, ofShard] of Map.groupBy(stale, (delivery) => delivery.shard)) {
      for (const delivery of ofShard) this.#reading.add(delivery);
      this.#deps.background("read subscriptions again", this.#read(shard, ofShard));
    }
  }

  async #read(shard: number, deliveries: readonly Claimed[]): Promise<void> {
    const readMs = this.#deps.now();
    const ids = new Set(deliveries.map(({ subscriptionId }) => subscriptionId));
    let unread: readonly Claimed[] = [];
    try {
      const targets = await readTargets(this.#deps.shards.db(shard), [...ids], readMs);
      for (const delivery of deliveries) {
        Object.assign(delivery, targets.get(delivery.subscriptionId) ?? { isDeleted: 1 }, { readMs });
      }
    } catch (error) {
      log("error", "subscriptions not read again", { shard, count: deliveries.length, ...describeError(error) });
      unread = deliveries;
    }
    for (const delivery of deliveries) this.#reading.delete(delivery);
    this.#onEnd(unread);
  }
}
