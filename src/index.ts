/** The doors: HTTP, queues, cron. */
import { app } from "./app";
import { runCron } from "./cron";
import { createDeps } from "./deps";
import { consume } from "./queue";

export { RateLimiter } from "./ratelimit/durable-object";

export default {
  fetch: app.fetch,
  async queue(batch, env, ctx) {
    await consume(await createDeps(env, ctx), batch);
  },
  async scheduled(_controller, env, ctx) {
    await runCron(await createDeps(env, ctx));
  },
} satisfies ExportedHandler<Env>;
