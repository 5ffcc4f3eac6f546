/** The entry points of the Worker: HTTP, queues, cron, and RPC for other Workers. */
import { app } from "./app";
import { runCron } from "./cron";
import { createDeps } from "./platform/deps";
import { consume } from "./queue";

export { ListenSocket } from "./listen-socket";
export { AccountLock } from "./platform/limits/account-lock";
export { RateLimiter } from "./platform/limits/durable-object";
export { Sweeper } from "./sweeper";
// The name under which deployments know the class.
export { SubscriptionThrottle as SubscriptionGate } from "./webhooks/delivery/throttling/durable-object";
export { EventPublisher } from "./webhooks/events/rpc";
export { FeedLease } from "./webhooks/feeds/durable-object";

export default {
  fetch: app.fetch,
  async queue(batch, env, ctx) {
    await consume(await createDeps(env, ctx), batch);
  },
  async scheduled(controller, env, ctx) {
    await runCron(await createDeps(env, ctx), controller.cron);
  },
} satisfies ExportedHandler<Env>;
