/** The settings for limits: overrides of rate limits, the budgets and the caps. */
import type * as z from "zod";
import { figure } from "../schemas/settings";
import { CAPS, type Caps } from "./caps";
import { ruleOverrides } from "./overrides";
import { BUDGETS, type BudgetName, RULES, type Rule, type RuleName } from "./rules";

export const LIMIT_VARIABLES = {
  RATE_LIMITS: {
    description: "Overrides the [rate limits](limits.md), by name.",
    must: 'be JSON such as {"login":{"limit":30,"windowSeconds":60}} with known rule names',
    schema: ruleOverrides,
  },
  TENANT_DELIVERIES_PER_MINUTE: {
    description:
      "How many deliveries a tenant may cause per minute. An event that would exceed this is refused with 429.",
    ...figure(BUDGETS.tenantDeliveries.perMinute),
  },
  TENANT_PAYLOAD_MIB_PER_MINUTE: {
    description:
      "How many MiB of payloads a tenant may publish per minute. An event that would exceed this is refused with 429.",
    ...figure(BUDGETS.tenantPayloadBytes.perMinute),
  },
  TENANT_STORED_MIB: {
    description:
      "How many MiB of events and deliveries a tenant may store, counted once an hour. Beyond that, events are " +
      "refused " +
      "with 429 until retention has removed enough.",
    ...figure(1_024),
  },
  MAX_SUBSCRIPTIONS_PER_TENANT: {
    description: "How many subscriptions a tenant can have.",
    ...figure(CAPS.subscriptions.limit),
  },
  MAX_SUBSCRIPTIONS_UNVERIFIED: {
    description: "How many subscriptions a tenant can have while no owner has a verified email address.",
    ...figure(CAPS.trialSubscriptions.limit),
  },
  MAX_API_KEYS_PER_USER: {
    description: "How many active API keys a user can have.",
    ...figure(CAPS.apiKeys.limit),
  },
  MAX_API_KEYS_PER_TENANT: {
    description: "How many active API keys can belong to a tenant itself.",
    ...figure(CAPS.tenantApiKeys.limit),
  },
  MAX_PORTAL_LINKS_PER_TENANT: {
    description: "How many portal links and tokens that have not ended a tenant can have.",
    ...figure(CAPS.portalLinks.limit),
  },
  MAX_PLATFORM_KEYS: {
    description: "How many active platform keys the service can have.",
    ...figure(CAPS.platformKeys.limit),
  },
  MAX_SOURCES_PER_TENANT: {
    description: "How many sources a tenant can have.",
    ...figure(CAPS.sources.limit),
  },
  MAX_FEEDS_PER_TENANT: {
    description: "How many feeds a tenant can have.",
    ...figure(CAPS.feeds.limit),
  },
  MAX_CONSUMERS_PER_FEED: {
    description: "How many consumers a feed can have.",
    ...figure(CAPS.feedConsumers.limit),
  },
  MAX_INVITATIONS_PER_TENANT: {
    description: "How many open invitations a tenant can have.",
    ...figure(CAPS.invitations.limit),
  },
  MAX_MEMBERS_PER_TENANT: {
    description: "How many members a tenant can have.",
    ...figure(CAPS.members.limit),
  },
  MAX_SESSIONS_PER_USER: {
    description: "How many sessions a user can have. Beyond that, the oldest one ends.",
    ...figure(CAPS.sessions.limit),
  },
} as const;

/** The limits in force. */
export interface LimitSettings {
  rules: Record<RuleName, Rule>;
  budgets: Record<BudgetName, Rule>;
  caps: Caps;
  tenantStoredMib: number;
}

/** Reads a variable. All of them are numbers except RATE_LIMITS. */
interface Read {
  (name: "RATE_LIMITS"): z.output<typeof ruleOverrides>;
  (name: Exclude<keyof typeof LIMIT_VARIABLES, "RATE_LIMITS">): number;
}

/** Reads all limits from the variables. */
export function readLimits(read: Read): LimitSettings {
  const perMinute = (name: BudgetName): Rule => {
    const { variable, units } = BUDGETS[name];
    return { limit: read(variable) * units, windowSeconds: 60 };
  };
  return {
    rules: { ...RULES, ...read("RATE_LIMITS") },
    budgets: {
      tenantDeliveries: perMinute("tenantDeliveries"),
      tenantPayloadBytes: perMinute("tenantPayloadBytes"),
    },
    caps: {
      subscriptions: read(CAPS.subscriptions.variable),
      trialSubscriptions: read(CAPS.trialSubscriptions.variable),
      apiKeys: read(CAPS.apiKeys.variable),
      tenantApiKeys: read(CAPS.tenantApiKeys.variable),
      portalLinks: read(CAPS.portalLinks.variable),
      platformKeys: read(CAPS.platformKeys.variable),
      sources: read(CAPS.sources.variable),
      feeds: read(CAPS.feeds.variable),
      feedConsumers: read(CAPS.feedConsumers.variable),
      invitations: read(CAPS.invitations.variable),
      members: read(CAPS.members.variable),
      sessions: read(CAPS.sessions.variable),
    },
    tenantStoredMib: read("TENANT_STORED_MIB"),
  };
}
