/** The entry points of the Worker: HTTP, queues, cron, and RPC for other Workers. */
import { app } from "./app";
import { runCron } from "./cron";
import { createDeps } from "./deps";
import { consume } from "./queue";

export { EventPublisher } from "./events/rpc";
export { SubscriptionGate } from "./gates/durable-object";
export { AccountLock } from "./ratelimit/account-lock";
export { RateLimiter } from "./ratelimit/durable-object";
export { Sweeper } from "./sweeper";

export default {
  fetch: app.fetch,
  async queue(batch, env, ctx) {
    await consume(await createDeps(env, ctx), batch);
  },
  async scheduled(controller, env, ctx) {
    await runCron(await createDeps(env, ctx), controller.cron);
  },
} satisfies ExportedHandler<Env>;
