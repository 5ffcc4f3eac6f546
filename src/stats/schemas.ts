/** What crosses the wire about counts and latency. */
import { z } from "zod";
import { id, time } from "../wire/schemas";

const MAX_HOURS = 168;

export const statsQuery = z.object({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_HOURS)
    .default(24)
    .meta({ description: "How many hours back, the current one included.", examples: [24] }),
});

const count = z.int().min(0);
const ofAttempts = {
  success: count.meta({ examples: [2] }),
  failed: count.meta({ examples: [1] }),
  p50Ms: count
    .nullable()
    .meta({ description: "Median latency, from a histogram. Null: nothing was sent.", examples: [40] }),
  p95Ms: count.nullable().meta({ description: "95th percentile of it. At most 10000.", examples: [180] }),
};

const hourlyStats = z
  .object({ hour: time.meta({ description: "Its start." }), ...ofAttempts })
  .meta({ id: "HourlyStats" });

const totals = {
  hours: z.array(hourlyStats).meta({ description: "Oldest first, the empty ones too." }),
  ...ofAttempts,
  pending: count.meta({ description: "Under way now.", examples: [0] }),
  total: count.meta({ examples: [3] }),
};
export const subscriptionStats = z.object(totals).meta({ id: "SubscriptionStats" });

export const attemptCounts = z
  .object({ total: count, success: count, failed: count, pending: count })
  .meta({ id: "AttemptCounts", examples: [{ total: 3, success: 2, failed: 1, pending: 0 }] });

const attentionItem = z
  .object({
    webhookId: id,
    name: z.string().meta({ examples: ["Orders"] }),
    reason: z.enum(["failing", "slow", "paused"]).meta({
      description: "Failing: its last attempt failed. Slow: it took over a second lately. The gravest one is told.",
    }),
    enabled: z.boolean().meta({ description: "False: paused, whatever else." }),
    failureCount: count.meta({ description: "Failed attempts since the last success.", examples: [3] }),
    error: z
      .string()
      .optional()
      .meta({ description: "Why the last one failed.", examples: ["timeout"] }),
  })
  .meta({ id: "AttentionItem" });

export const tenantStats = z
  .object({
    ...totals,
    attention: z.array(attentionItem).meta({ description: "Subscriptions to look at, the worst 20 first." }),
  })
  .meta({ id: "TenantStats" });

export type SubscriptionStats = z.infer<typeof subscriptionStats>;
export type TenantStats = z.infer<typeof tenantStats>;
export type AttemptCounts = z.infer<typeof attemptCounts>;
