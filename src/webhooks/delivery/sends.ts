/** The sends of one run: each makes an attempt and records its result. */
import type { Deps } from "../../platform/deps";
import { decryptOnce } from "../signing/keys";
import type { Starts } from "../throttling/starts";
import { makeAttempt } from "./attempt";
import { releaseDeliveries } from "./claim-store";
import type { Claimed } from "./claimed";
import { enqueue } from "./enqueue";
import { holdHere } from "./holds";
import { createRecorder, type Recorder } from "./recorder";
import { startSend } from "./send-load";

export class Sends {
  readonly #deps: Deps;
  readonly #claim: string;
  readonly #starts: Starts;
  readonly #decrypt: ReturnType<typeof decryptOnce>;
  readonly #recorders = new Map<number, Recorder>();
  readonly inProgress = new Set<Claimed>();

  /** `claim` is the token of the run's claims. */
  constructor(deps: Deps, claim: string, starts: Starts) {
    this.#deps = deps;
    this.#claim = claim;
    this.#starts = starts;
    this.#decrypt = decryptOnce(deps.keys);
  }

  /**
   * Sends a delivery. Returns false, without sending, when it has missed its start. Throws when it cannot be released.
   */
  async attempt(delivery: Claimed): Promise<boolean> {
    let endSend = () => {};
    const begin = () => {
      endSend = startSend(delivery.subscriptionId, this.#deps.now);
      this.inProgress.add(delivery);
    };
    // A delivery that still waits for its start must not count as a send without an answer.
    if (!delivery.start) begin();
    try {
      const result = await makeAttempt(this.#deps, delivery, this.#decrypt, delivery.start, () => {
        this.#starts.note(delivery, this.#deps.now());
        begin();
      });
      if (result === "late") return false;
      if (result === "deleted") await this.#release(delivery);
      else if ("retryInMs" in result) await this.#release(delivery, this.#deps.now() + result.retryInMs);
      else {
        if (result.heldUntil !== null) holdHere(result.subscriptionId, result.heldUntil, result.completedAt);
        this.#recorderOf(delivery.shard).add(result);
      }
      this.#starts.release([delivery]);
      return true;
    } finally {
      endSend();
      this.inProgress.delete(delivery);
    }
  }

  /** Resolves when every result is recorded or given up. */
  async flush(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
  }

  /**
   * Releases a delivery without using up an attempt. It is due again at `dueAt` (Unix ms); without `dueAt` it is queued
   * at once.
   */
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
