/**
 * An invocation of its own for a message of the slow queue: the platform opens six connections an invocation, so more
 * sends at once need more invocations. The consumer of the queue calls it in the same Worker, by `ctx.exports`.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { createDeps } from "./base/deps";
import type { DeliveryMessage } from "./base/messages";
import { type ComesAgain, runMessages } from "./webhooks/delivery/run-messages";

export class DeliveryRuns extends WorkerEntrypoint<Env> {
  /** Resolves when nothing is being claimed; the sends go on. Returns what `runMessages` does. */
  async run(message: DeliveryMessage): Promise<ComesAgain> {
    const [retry = null] = await runMessages(await createDeps(this.env, this.ctx), "slow", [message]);
    return retry;
  }
}
