/** `/stats` and `/webhooks/:id/stats`: counts and latency per hour. */
import { Hono } from "hono";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { can } from "../http/permissions";
import { byTenant, limit } from "../http/rate-limit";
import { describeRoute } from "../http/route-docs";
import { query } from "../http/validate";
import { dataOf } from "../wire/schemas";
import { attemptCounts, statsQuery, subscriptionStats, tenantStats } from "./schemas";
import { countAttempts } from "./store";
import { statsOfTenant, statsOfWebhook } from "./summary";

export const statsRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("getStats", "The tenant's delivery attempts per hour, and the subscriptions that need attention.", {
    200: dataOf(tenantStats),
  }),
  limit("readDeliveries", byTenant),
  can("webhook.read"),
  query(statsQuery),
  async (c) => {
    const { hours } = c.req.valid("query");
    return c.json({ data: await statsOfTenant(c.get("deps"), c.get("principal"), hours) });
  },
);

export const webhookStatsRoutes = new Hono<AppEnv>()
  .get(
    "/:id/stats",
    describeRoute("getWebhookStats", "Its delivery attempts per hour.", {
      200: dataOf(subscriptionStats),
      errors: ["NOT_FOUND"],
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    query(statsQuery),
    async (c) => {
      const { hours } = c.req.valid("query");
      return c.json({ data: await statsOfWebhook(c.get("deps"), c.get("principal"), c.req.param("id"), hours) });
    },
  )
  .get(
    "/:id/metrics",
    describeRoute("getWebhookMetrics", "Counts of its delivery attempts.", {
      200: dataOf(attemptCounts),
      errors: ["NOT_FOUND"],
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    async (c) => {
      const counts = await countAttempts(c.get("deps"), c.get("principal"), c.req.param("id"));
      if (!counts) throw notFound("Webhook");
      return c.json({ data: counts });
    },
  );
