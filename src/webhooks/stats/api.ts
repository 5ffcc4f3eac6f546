/** `/stats` and `/webhooks/:id/stats`: counts and latency per hour. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { READ_DELIVERIES } from "../access";
import { attemptCounts, statsQuery, subscriptionStats, tenantStats } from "./schemas";
import { attemptCountsOf, statsOfSubscription, statsOfTenant } from "./summary";

export const stats = {
  ofTenant: endpoint({
    id: "getStats",
    summary: "Returns the tenant's delivery attempts per hour, and the subscriptions that need attention.",
    ...READ_DELIVERIES,
    schema: statsQuery,
    answers: () => ({ 200: dataOf(tenantStats) }),
    verb: ({ deps, principal, input }) => statsOfTenant(deps, principal, input.hours),
    answer: (c, data) => c.json({ data }),
  }),
  attempts: endpoint({
    id: "getWebhookMetrics",
    summary: "Counts the delivery attempts of a subscription by status.",
    ...READ_DELIVERIES,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(attemptCounts) }),
    verb: ({ deps, principal, param }) => attemptCountsOf(deps, principal, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  ofSubscription: endpoint({
    id: "getWebhookStats",
    summary: "Returns the delivery attempts of a subscription per hour.",
    ...READ_DELIVERIES,
    schema: statsQuery,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(subscriptionStats) }),
    verb: ({ deps, principal, param, input }) => statsOfSubscription(deps, principal, param("id"), input.hours),
    answer: (c, data) => c.json({ data }),
  }),
};

export const statsRoutes = routes({
  "GET /": stats.ofTenant,
});

export const subscriptionStatsRoutes = routes({
  "GET /:id/stats": stats.ofSubscription,
  "GET /:id/metrics": stats.attempts,
});
