/** The sends of one run: each makes an attempt and records its result. */
import type { Deps } from "../../platform/deps";
import { coolDownHere } from "../lanes/cooldown";
import { decryptOnce } from "../signing/keys";
import { makeAttempt } from "./attempt";
import type { Claimed } from "./claimed";
import { enqueue } from "./enqueue";
import { createRecorder, type Recorder } from "./recorder";
import { releaseDeliveries } from "./release-store";
import { startSend } from "./send-load";

export class Sends {
  readonly #deps: Deps;
  readonly #claim: string;
  readonly #decrypt: ReturnType<typeof decryptOnce>;
  readonly #recorders = new Map<number, Recorder>();

  /** `claim` is the token of the run's claims. */
  constructor(deps: Deps, claim: string) {
    this.#deps = deps;
    this.#claim = claim;
    this.#decrypt = decryptOnce(deps.keys);
  }

  /**
   * Sends a delivery. Returns whether there is a result to record; otherwise it has released the delivery. Throws when
   * it cannot be released.
   */
  async attempt(delivery: Claimed): Promise<boolean> {
    const endSend = startSend(delivery.subscriptionId, this.#deps.now);
    try {
      const result = await makeAttempt(this.#deps, delivery, this.#decrypt);
      if (result === "deleted" || result === "interrupted") {
        await this.#release(delivery);
        return false;
      }
      if ("retryInMs" in result) {
        await this.#release(delivery, this.#deps.now() + result.retryInMs);
        return false;
      }
      if (result.heldUntil !== null) coolDownHere(result.subscriptionId, result.heldUntil, result.completedAt);
      this.#recorderOf(delivery.shard).add(result);
      return true;
    } finally {
      endSend();
    }
  }

  /** Resolves when every result is recorded or given up. */
  async flush(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
  }

  /**
   * Releases a delivery without using up an attempt. It is due again at `dueAt` (Unix ms); without `dueAt` it is queued
   * soon.
   */
  async #release(delivery: Claimed, dueAt?: number): Promise<void> {
    const wait = dueAt === undefined ? undefined : { dueAt, slotAt: null, limitsText: null };
    await releaseDeliveries(this.#deps.shards.db(delivery.shard), this.#claim, [{ ...delivery, wait }]);
    if (dueAt === undefined) await enqueue(this.#deps, "slow", delivery.shard, [delivery], 1);
  }

  #recorderOf(shard: number): Recorder {
    const known = this.#recorders.get(shard);
    const recorder = known ?? createRecorder(this.#deps, shard, this.#claim);
    this.#recorders.set(shard, recorder);
    return recorder;
  }
}
