/** `/stats` and `/webhooks/:id/stats`: counts and latency per hour. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { stats } from "./operations";
import { attemptCounts, subscriptionStats, tenantStats } from "./schemas";

export const statsRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute(
    "getStats",
    "Returns the tenant's delivery attempts per hour, and the subscriptions that need attention.",
    () => ({
      200: dataOf(tenantStats),
    }),
  ),
  ...serve(stats.ofTenant, (c, data) => c.json({ data }), "query"),
);

export const subscriptionStatsRoutes = new Hono<AppEnv>()
  .get(
    "/:id/stats",
    describeRoute("getWebhookStats", "Returns the delivery attempts of a subscription per hour.", () => ({
      200: dataOf(subscriptionStats),
      errors: ["NOT_FOUND"],
    })),
    ...serve(stats.ofSubscription, (c, data) => c.json({ data }), "query"),
  )
  .get(
    "/:id/metrics",
    describeRoute("getWebhookMetrics", "Counts the delivery attempts of a subscription by status.", () => ({
      200: dataOf(attemptCounts),
      errors: ["NOT_FOUND"],
    })),
    ...serve(stats.attempts, (c, data) => c.json({ data })),
  );
