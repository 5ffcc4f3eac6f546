/** `/platform/usage`: what the tenants of the product have used in a month. */
import * as z from "zod";
import { timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { endpoint, routes } from "../../base/http/endpoint";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { described, id, nextCursor, pageLimit, time } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { listUsage } from "./store";

const MAX_PAGE_ROWS = 200;

const usageQuery = z.object({
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, "Must be a month, such as 2026-11")
    .meta({ description: "In UTC.", examples: ["2026-11"] }),
  limit: pageLimit("Rows", MAX_PAGE_ROWS),
  cursor: z
    .string()
    .regex(/^[\w-]{1,64}$/, "Must be the nextCursor of the previous answer")
    .optional()
    .meta({ description: "The `nextCursor` of the previous answer; opaque." }),
});

const count = z
  .int()
  .min(0)
  .meta({ examples: [1200] });

const usageRecord = described("PlatformUsage", "What a tenant has used in a month.", () => ({
  tenantId: id,
  externalId: z
    .string()
    .nullable()
    .meta({ description: "Your own id.", examples: ["customer-42"] }),
  name: z.string().meta({ examples: ["Analytical Engines"] }),
  events: count.meta({ description: "Published events, without those that tell of subscriptions (`postern.…`)." }),
  deliveries: count.meta({ description: "Deliveries of these events, however many attempts each has taken." }),
  bytes: count.meta({ description: "Of the payloads of these events." }),
  members: count.meta({ description: "The members of the tenant now." }),
}));

const usagePage = z.object({
  data: z.array(usageRecord),
  nextCursor,
  countedUntil: time.nullable().meta({
    description: "Up to this time, all events are counted; null: the first counting is not over.",
  }),
});

/** A page of what the tenants that the key sees have used. */
export async function usageIn(
  deps: Deps,
  key: PlatformKeyPrincipal,
  { month, limit, cursor }: z.infer<typeof usageQuery>,
) {
  const { found, countedTo } = await listUsage(deps, key, { month, after: cursor ?? "", limit });
  const times = countedTo.map((eventId) => (eventId === null ? null : timeOfId(eventId)));
  const counted = times.filter((at) => at !== null);
  return {
    data: found.slice(0, limit),
    nextCursor: found.length > limit ? (found[limit - 1]?.tenantId ?? null) : null,
    countedUntil: counted.length === 0 ? null : iso(Math.min(...counted)),
  };
}

export const usage = {
  list: endpoint({
    id: "listPlatformUsage",
    summary: "Lists what tenants have used in a month, page by page.",
    description: "Counted every hour, for 25 months.",
    scope: "tenants.read",
    limit: { rule: "platformRead", per: "platform key" },
    schema: usageQuery,
    answers: () => ({ 200: usagePage }),
    verb: ({ deps, platformKey, input }) => usageIn(deps, platformKey, input),
    answer: (c, page) => c.json(page),
  }),
};

export const platformUsageRoutes = routes({ "GET /": usage.list });
