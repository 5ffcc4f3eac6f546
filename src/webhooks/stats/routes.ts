/** `/stats` and `/webhooks/:id/stats`: counts and latency per hour. */
import { Hono } from "hono";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { byTenant, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { query } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { attemptCounts, statsQuery, subscriptionStats, tenantStats } from "./schemas";
import { countAttempts } from "./store";
import { statsOfSubscription, statsOfTenant } from "./summary";

export const statsRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute(
    "getStats",
    "Returns the tenant's delivery attempts per hour, and the subscriptions that need attention.",
    {
      200: dataOf(tenantStats),
    },
  ),
  limit("readDeliveries", byTenant),
  can("webhook.read"),
  query(statsQuery),
  async (c) => {
    const { hours } = c.req.valid("query");
    return c.json({ data: await statsOfTenant(c.get("deps"), c.get("principal"), hours) });
  },
);

export const subscriptionStatsRoutes = new Hono<AppEnv>()
  .get(
    "/:id/stats",
    describeRoute("getWebhookStats", "Returns the delivery attempts of a subscription per hour.", {
      200: dataOf(subscriptionStats),
      errors: ["NOT_FOUND"],
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    query(statsQuery),
    async (c) => {
      const { hours } = c.req.valid("query");
      return c.json({ data: await statsOfSubscription(c.get("deps"), c.get("principal"), c.req.param("id"), hours) });
    },
  )
  .get(
    "/:id/metrics",
    describeRoute("getWebhookMetrics", "Counts the delivery attempts of a subscription by status.", {
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
