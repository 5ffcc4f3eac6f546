/** Who may do what with subscriptions and their deliveries, and how often. */
import type { Access } from "../base/operation";

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

export const PUBLISH = {
  permission: "event.publish",
  limit: { rule: "publish", per: "tenant" },
} as const satisfies Access;

/** Creating, changing or deleting subscriptions. */
export const WRITE_SUBSCRIPTIONS = { limit: { rule: "writeWebhook", per: "tenant" } } as const satisfies Access;

/** Creating, changing, testing or deleting sources. */
export const MANAGE_SOURCES = {
  permission: "source.manage",
  limit: { rule: "writeSource", per: "tenant" },
} as const satisfies Access;

/** Reading a feed, with its token too. */
export const READ_FEED = {
  permission: "webhook.read",
  limit: { rule: "readFeed", per: "feed" },
  takesFeedTokens: true,
} as const satisfies Access;

/** Moving a consumer of a feed, with its token too. */
export const MOVE_CONSUMER = {
  permission: "webhook.update",
  limit: { rule: "writeFeed", per: "tenant" },
  takesFeedTokens: true,
} as const satisfies Access;

/** Creating, changing or deleting feeds. */
export const WRITE_FEED = { limit: { rule: "writeFeed", per: "tenant" } } as const satisfies Access;

/** Opening a listener, connecting it and closing it. */
export const LISTEN = {
  permission: "webhook.create",
  limit: { rule: "listen", per: "user or key" },
} as const satisfies Access;

/** Creating, changing or deleting event types. */
export const WRITE_TYPES = {
  limit: { rule: "writeEventTypes", per: "tenant" },
  hasNoRecords: true,
} as const satisfies Access;

export const READ_TYPES = { ...READ_DELIVERIES, hasNoRecords: true } as const satisfies Access;

/** Importing many event types at once. */
export const IMPORT_TYPES = {
  limit: { rule: "writeEventTypes", per: "tenant", units: 10 },
  hasNoRecords: true,
} as const satisfies Access;

/** Trying rules on a payload. Writes nothing. */
export const TEST_RULES = {
  permission: "webhook.read",
  limit: { rule: "testRules", per: "tenant" },
  hasNoRecords: true,
} as const satisfies Access;
