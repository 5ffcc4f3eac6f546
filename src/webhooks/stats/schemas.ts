/** Counts and latency, as the API returns them. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";

const MAX_HOURS = 168;

export const statsQuery = z.object({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_HOURS)
    .default(24)
    .meta({ description: "How many hours to return, the current one included.", examples: [24] }),
});

const count = z.int().min(0);
const ofAttempts = {
  success: count.meta({ examples: [2] }),
  failed: count.meta({ examples: [1] }),
  p50Ms: count
    .nullable()
    .meta({ description: "The median latency, estimated from a histogram. Null if nothing was sent.", examples: [40] }),
  p95Ms: count.nullable().meta({ description: "The 95th percentile of the latency, at most 10000.", examples: [180] }),
};

const hourlyStats = described("HourlyStats", "The attempts of one hour.", () => ({
  hour: time.meta({ description: "The start of the hour." }),
  ...ofAttempts,
}));

const totals = {
  hours: z.array(hourlyStats).meta({ description: "Every hour, oldest first, including those without attempts." }),
  ...ofAttempts,
  pending: count.meta({ description: "Attempts in progress now.", examples: [0] }),
  total: count.meta({ description: "`success`, `failed` and `pending` together.", examples: [3] }),
};
export const subscriptionStats = described(
  "SubscriptionStats",
  "The attempts of one subscription, in total and per hour.",
  () => totals,
);

const throttle = described(
  "Throttle",
  "What waits because of the subscription's limits. Missing if it has none.",
  () => ({
    waiting: count.meta({ description: "How many deliveries wait, at most 100,000.", examples: [1240] }),
    nextSlotAt: time.nullable().meta({ description: "By when the first of them is sent. Null if none waits." }),
  }),
);

export const attemptCounts = z
  .object({ total: count, success: count, failed: count, pending: count, throttle: throttle.optional() })
  .meta({
    id: "AttemptCounts",
    description: "How many attempts a subscription has had, by status.",
    examples: [{ total: 3, success: 2, failed: 1, pending: 0 }],
  });

const attentionItem = described("AttentionItem", "A subscription that somebody should look at.", () => ({
  webhookId: id,
  name: z.string().meta({ examples: ["Orders"] }),
  reason: z.enum(["failing", "throttled", "slow", "paused"]).meta({
    description:
      "`failing`: its last attempt failed. `throttled`: it asked for a pause with 429 or 503. `slow`: it recently " +
      "did not answer for a second, or took 5 seconds. If several apply, the first of `failing`, `throttled`, " +
      "`slow`, `paused`.",
  }),
  enabled: z.boolean().meta({ description: "False while the subscription is paused, whatever `reason` says." }),
  failureCount: count.meta({ description: "Failed attempts since the last success.", examples: [3] }),
  error: z
    .string()
    .optional()
    .meta({ description: "Why the last failed attempt failed.", examples: ["timeout"] }),
}));

export const tenantStats = described("TenantStats", "The attempts of all subscriptions of the tenant.", () => ({
  ...totals,
  attention: z
    .array(attentionItem)
    .meta({ description: "The subscriptions that need attention, worst first, at most 20." }),
}));

export type SubscriptionStats = z.infer<typeof subscriptionStats>;
export type TenantStats = z.infer<typeof tenantStats>;
export type AttemptCounts = z.infer<typeof attemptCounts>;
