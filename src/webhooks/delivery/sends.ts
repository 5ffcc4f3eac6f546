/** The sends of one run: each makes an attempt and records its result. */
import type { Deps } from "../../platform/deps";
import { coolDownHere } from "../lanes/cooldown";
import { decryptOnce } from "../signing/keys";
import { makeAttempt } from "./attempt";
import { enqueue } from "./enqueue";
import { createRecorder, type Recorder } from "./recorder";
import { releaseDeliveries } from "./release-store";
import type { Claimed } from "./run-states";
import type { NotSent } from "./send";
import { startSend } from "./send-load";
import { RETURN_TO_SLOW_SECONDS } from "./timing";

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

  /** Sends a delivery. Returns whether there is a result to record; otherwise the delivery is released. */
  async attempt(delivery: Claimed): Promise<boolean> {
    const endSend = startSend(delivery.subscriptionId, this.#deps.now);
    const result = await makeAttempt(this.#deps, delivery, this.#decrypt).finally(endSend);
    if ("retryInMs" in result) {
      // In the background, so that a database that does not answer takes up no place of the run.
      this.#deps.background("release a delivery", this.#release(delivery, result));
      return false;
    }
    if (result.heldUntil !== null) coolDownHere(result.subscriptionId, result.heldUntil, result.completedAt);
    this.#recorderOf(delivery.shard).add(result);
    return true;
  }

  /** Resolves when every result is recorded or given up. */
  async flush(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
  }

  async #release(delivery: Claimed, { retryInMs }: NotSent): Promise<void> {
    const dueAt = this.#deps.now() + (retryInMs ?? 0);
    const wait = retryInMs === null ? undefined : { dueAt, slotAt: null, limitsText: null };
    await releaseDeliveries(this.#deps.shards.db(delivery.shard), this.#claim, [{ ...delivery, wait }]);
    if (!wait) await enqueue(this.#deps, "slow", delivery.shard, [delivery], RETURN_TO_SLOW_SECONDS);
  }

  #recorderOf(shard: number): Recorder {
    const known = this.#recorders.get(shard);
    const recorder = known ?? createRecorder(this.#deps, shard, this.#claim);
    this.#recorders.set(shard, recorder);
    return recorder;
  }
}
