/** Who may do what with subscriptions and their deliveries, and how often. */
import type { Access } from "../platform/operation";

/** Reading deliveries, events, replays and statistics. */
export const READ_DELIVERIES = {
  permission: "webhook.read",
  limit: { rule: "readDeliveries", per: "tenant" },
} as const satisfies Access;

/** Sending something again, or a test. */
export const RESEND = {
  permission: "webhook.update",
  limit: { rule: "redeliver", per: "tenant" },
} as const satisfies Access;

/** Publishing events. */
export const PUBLISH = {
  permission: "event.publish",
  limit: { rule: "publish", per: "tenant" },
} as const satisfies Access;

/** Creating, changing or deleting subscriptions. */
export const WRITE = { limit: { rule: "writeWebhook", per: "tenant" } } as const satisfies Access;

/** Creating, changing, testing or deleting sources. */
export const MANAGE_SOURCES = {
  permission: "source.manage",
  limit: { rule: "writeSource", per: "tenant" },
} as const satisfies Access;
