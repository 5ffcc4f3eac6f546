/** `/webhooks`: subscriptions and their logs, all scoped to the caller's tenant. */
import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import { eventType } from "../events/type";
import type { AppEnv } from "../http/env";
import { can } from "../http/principal";
import { name } from "../http/schemas";
import { body } from "../http/validate";
import { findSubscription, listAttempts, listSubscriptions } from "./store";
import { createSubscription } from "./subscriptions";
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
  });
