/** The entry points of the Worker: HTTP, queues, cron, and RPC for other Workers. */
import { app } from "./app";
import { createDeps } from "./base/deps";
import { runCron } from "./cron";
import { consume } from "./queue";

export { AccountLock } from "./base/limits/account-lock";
export { RateLimiter } from "./base/limits/durable-object";
export { DeliveryRuns } from "./delivery-runs";
export { ListenSocket } from "./listen-socket";
export { DeviceRequest } from "./oauth/devices/durable-object";
export { Sweeper } from "./sweeper";
// The name under which deployments know the class.
export { SubscriptionThrottle as SubscriptionGate } from "./webhooks/delivery/throttling/durable-object";
export { EventPublisher } from "./webhooks/events/rpc";
// The name under which deployments know the class.
export { FeedPolls as FeedLease } from "./webhooks/feeds/durable-object";

export default {
  fetch: app.fetch,
  async queue(batch, env, ctx) {
    await consume(await createDeps(env, ctx), batch, (message) => ctx.exports.DeliveryRuns.run(message));
  },
  async scheduled(controller, env, ctx) {
    await runCron(await createDeps(env, ctx), controller.cron);
  },
} satisfies ExportedHandler<Env>;
