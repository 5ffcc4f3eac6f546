/** Who may do what with subscriptions and their deliveries, and how often. */
import { type Access, WITH_FEED_TOKENS, WITH_KEYS, WITH_PORTALS } from "../base/operation";

/** Reading deliveries, events, replays and statistics. */
export const READ_DELIVERIES = {
  callers: WITH_PORTALS,
  permission: "webhook.read",
  limit: { rule: "readDeliveries", per: "tenant" },
} as const satisfies Access;

/** Sending something again, or a test. */
export const RESEND = {
  callers: WITH_PORTALS,
  permission: "webhook.update",
  limit: { rule: "redeliver", per: "tenant" },
} as const satisfies Access;

export const PUBLISH = {
  callers: WITH_KEYS,
  permission: "event.publish",
  limit: { rule: "publish", per: "tenant" },
  bodyKiB: 256,
} as const satisfies Access;

/** Publishing many events at once. */
export const PUBLISH_BATCH = { ...PUBLISH, bodyKiB: 1024 } as const satisfies Access;

/** Creating, changing or deleting subscriptions. */
export const WRITE_SUBSCRIPTIONS = {
  callers: WITH_PORTALS,
  limit: { rule: "writeWebhook", per: "tenant" },
} as const satisfies Access;

/** Testing or deleting sources, and what makes them take less. */
export const MANAGE_SOURCES = {
  callers: WITH_KEYS,
  permission: "source.manage",
  limit: { rule: "writeSource", per: "tenant" },
  notInPlatform: true,
} as const satisfies Access;

/** Creating or changing sources: whoever has the secret of one publishes with it. */
export const MAKE_SOURCES = { ...MANAGE_SOURCES, also: "event.publish" } as const satisfies Access;

/** Reading a feed, with its token too. */
export const READ_FEED = {
  callers: WITH_FEED_TOKENS,
  permission: "webhook.read",
  limit: { rule: "readFeed", per: "feed" },
} as const satisfies Access;

/** Moving a consumer of a feed, with its token too. */
export const MOVE_CONSUMER = {
  callers: WITH_FEED_TOKENS,
  permission: "webhook.update",
  limit: { rule: "writeFeed", per: "tenant" },
} as const satisfies Access;

/** Creating, changing or deleting feeds. */
export const WRITE_FEED = {
  callers: WITH_KEYS,
  limit: { rule: "writeFeed", per: "tenant" },
} as const satisfies Access;

/** Getting the token of a feed, which reads its events. */
export const GET_FEED_TOKEN = { ...WRITE_FEED, also: "webhook.read" } as const satisfies Access;

/** Opening a listener, connecting it and closing it. */
export const LISTEN = {
  callers: WITH_PORTALS,
  permission: "webhook.create",
  also: "webhook.read",
  limit: { rule: "listen", per: "user or key" },
} as const satisfies Access;

/** Creating, changing or deleting event types. */
export const WRITE_TYPES = {
  callers: WITH_KEYS,
  limit: { rule: "writeEventTypes", per: "tenant" },
  hasNoRecords: true,
} as const satisfies Access;

/** Reading event types. */
export const READ_TYPES = { ...READ_DELIVERIES, callers: WITH_KEYS, hasNoRecords: true } as const satisfies Access;

/** Seeing which types there are, to subscribe to them. */
export const SEE_TYPES = { ...READ_TYPES, callers: WITH_PORTALS } as const satisfies Access;

/** Importing many event types at once. */
export const IMPORT_TYPES = {
  callers: WITH_KEYS,
  limit: { rule: "writeEventTypes", per: "tenant", units: 10 },
  hasNoRecords: true,
  bodyKiB: 4096,
} as const satisfies Access;

/** Trying rules on a payload. Writes nothing. */
export const TEST_RULES = {
  callers: WITH_KEYS,
  permission: "webhook.read",
  limit: { rule: "testRules", per: "tenant" },
  hasNoRecords: true,
  bodyKiB: 256,
} as const satisfies Access;
