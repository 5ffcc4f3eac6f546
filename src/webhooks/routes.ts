/** `/webhooks`: subscriptions and their logs, all scoped to the caller's tenant. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import { eventType } from "../events/type";
import type { AppEnv } from "../http/env";
import { can } from "../http/principal";
import { name } from "../http/schemas";
import { body } from "../http/validate";
import { queueRetry, queueTest } from "./operations/queue";
import { countAttempts } from "./operations/store";
import { deleteSubscription, findSubscription, listAttempts, listSubscriptions } from "./store";
import { changeSubscription, createSubscription } from "./subscriptions";
import { attemptView, subscriptionView } from "./view";

const MAX_EVENT_TYPES = 100;

const subscriptionFields = z.object({
  name,
  url: z.string(),
  events: z
    .array(z.union([z.literal("*"), eventType]))
    .min(1)
    .max(MAX_EVENT_TYPES)
    .transform((types) => [...new Set(types)]),
  secret: z.string().min(1).max(256),
  enabled: z.boolean(),
});

const newSubscription = subscriptionFields.extend({ enabled: z.boolean().default(true) });

const setEnabled = async (c: Context<AppEnv, "/:id">, enabled: boolean) =>
  changeSubscription(c.get("deps"), c.get("principal").tenantId, c.req.param("id"), { enabled });

export const webhookRoutes = new Hono<AppEnv>()
  .post("/", can("webhook.create"), body(newSubscription), async (c) => {
    const deps = c.get("deps");
    const row = await createSubscription(deps, c.get("principal").tenantId, c.req.valid("json"));
    return c.json({ data: await subscriptionView(deps, row) }, 201);
  })
  .get("/", can("webhook.read"), async (c) => {
    const deps = c.get("deps");
    const rows = await listSubscriptions(deps, c.get("principal").tenantId);
    return c.json({ data: await Promise.all(rows.map((row) => subscriptionView(deps, row))) });
  })
  .get("/:id", can("webhook.read"), async (c) => {
    const deps = c.get("deps");
    const row = await findSubscription(deps, c.get("principal").tenantId, c.req.param("id"));
    if (!row) throw notFound("Webhook");
    return c.json({ data: await subscriptionView(deps, row) });
  })
  .get("/:id/logs", can("webhook.read"), async (c) => {
    const rows = await listAttempts(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
    if (!rows) throw notFound("Webhook");
    return c.json({ data: rows.map(attemptView) });
  })
  .patch("/:id", can("webhook.update"), body(subscriptionFields.partial()), async (c) => {
    const deps = c.get("deps");
    const row = await changeSubscription(deps, c.get("principal").tenantId, c.req.param("id"), c.req.valid("json"));
    return c.json({ data: await subscriptionView(deps, row) });
  })
  .delete("/:id", can("webhook.delete"), async (c) => {
    const deps = c.get("deps");
    const deleted = await deleteSubscription(deps, c.get("principal").tenantId, c.req.param("id"), deps.now());
    if (!deleted) throw notFound("Webhook");
    return c.json({ message: "Webhook deleted" });
  })
  .post("/:id/pause", can("webhook.update"), async (c) => {
    await setEnabled(c, false);
    return c.json({ message: "Webhook paused" });
  })
  .post("/:id/resume", can("webhook.update"), async (c) => {
    await setEnabled(c, true);
    return c.json({ message: "Webhook resumed" });
  })
  .post("/:id/retry", can("webhook.update"), async (c) => {
    await queueRetry(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
    return c.json({ message: "Retry queued" });
  })
  .post("/:id/test", can("webhook.update"), async (c) => {
    await queueTest(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
    return c.json({ message: "Test delivery queued" });
  })
  .get("/:id/metrics", can("webhook.read"), async (c) => {
    const counts = await countAttempts(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
    if (!counts) throw notFound("Webhook");
    return c.json({ data: counts });
  });
