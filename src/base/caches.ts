/**
 * What an isolate remembers across its requests, by the file and the name of what holds it. Whoever adds a cache says
 * here how large it can get: together they must leave room for the requests.
 */
const KIB = 1024;
const MIB = 1024 * KIB;

interface Cache {
  /** What it holds, and by what. */
  holds: string;
  /** The most entries; missing where the bytes are counted. */
  entries?: number;
  /** Of one entry, or of all where the bytes are counted. */
  bytes: number;
}

/** An id or an address with a number. */
const SMALL = 250;

export const CACHES: Readonly<Record<string, Cache>> = {
  "base/limits/limiter.ts noLeases": { holds: "units of limits, by limit and key", entries: 10_000, bytes: 400 },
  "base/limits/unknown.ts refusedUntilMs": { holds: "refused addresses, by limit", entries: 1_000, bytes: SMALL },
  "base/limits/unknown.ts known": { holds: "hashes of keys that worked", entries: 1_000, bytes: SMALL },
  "base/limits/unknown.ts underWay": { holds: "look-ups under way, by network", entries: 1_000, bytes: SMALL },
  "base/db/regions.ts regions": { holds: "regions, by database", entries: 100, bytes: SMALL },
  // A language has at most 192 KiB, because a text with a dash takes two bytes for each character; the list has 45.
  "base/files.ts readings": { holds: "texts of three languages, common passwords", entries: 4, bytes: 160 * KIB },
  "console/http/page-headers.ts policies": { holds: "headers of pages, by logo", entries: 80, bytes: 8 * KIB },
  "directory/due/when-due.ts answers": { holds: "what the runs of a minute ask", entries: 1, bytes: SMALL },
  // By constants: one entry for each schema that a directory knows, and for each of its complex attributes.
  "directory/protocol/find-attribute.ts schemasByName": { holds: "names of attributes", entries: 3, bytes: 4 * KIB },
  "directory/protocol/find-attribute.ts listsByName": { holds: "names of attributes", entries: 20, bytes: 4 * KIB },
  "identity/api-keys/remembered.ts remembered": { holds: "API keys, by hash", entries: 1_000, bytes: 4 * KIB },
  "identity/providers/providers.ts discovered": { holds: "providers, by issuer", entries: 5, bytes: 64 * KIB },
  "identity/sign-in/providers/keys.ts keysByPlace": { holds: "keys of providers", entries: 6, bytes: 64 * KIB },
  "identity/tokens/revocations.ts keptBy": { holds: "the list of revoked tokens", entries: 1, bytes: 8 * MIB },
  "oauth/clients/published-keys.ts published": { holds: "keys of apps, by URL", entries: 8, bytes: 9 * KIB },
  "oauth/tokens/dpop.ts usedUntilMs": { holds: "proofs of keys that were used", entries: 2_000, bytes: 150 },
  "oauth/clients/unlisted/fetch-json.ts remembered": {
    holds: "documents of apps, by URL",
    entries: 12,
    bytes: 6 * KIB,
  },
  "sign-on/oidc/key-set.ts known": { holds: "keys of tenants' providers", entries: 14, bytes: 64 * KIB },
  "service/metrics/routes.ts pages": { holds: "the page of metrics", entries: 1, bytes: 256 * KIB },
  "webhooks/delivery/claim-statements-store.ts known": { holds: "statements", entries: 4, bytes: 32 * KIB },
  "webhooks/delivery/isolate-memory.ts loads": { holds: "sends under way", entries: 1_000, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts counted": { holds: "sends under way", entries: 1_000, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts restedFromMs": {
    holds: "ends of rests, by subscription",
    entries: 2_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts keptPlaces": { holds: "queued deliveries", entries: 200, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts young": {
    holds: "deliveries that have just begun",
    entries: 1_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts latenciesMs": {
    holds: "latencies, by subscription",
    entries: 10_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts cooldownUntilMs": {
    holds: "pauses, by subscription",
    entries: 10_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts markedSlowUntilMs": {
    holds: "slow subscriptions",
    entries: 10_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts widths": { holds: "widths, by subscription", entries: 10_000, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts lines": { holds: "limited subscriptions", entries: 10_000, bytes: 400 },
  "webhooks/delivery/isolate-memory.ts fedAtMs": { holds: "deliveries of lanes", entries: 10_000, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts hungry": { holds: "lanes that wait to be fed", entries: 6_000, bytes: 650 },
  "webhooks/delivery/isolate-memory.ts fanOuts": {
    holds: "wide events that wait for places",
    entries: 200,
    bytes: 300,
  },
  "webhooks/delivery/isolate-memory.ts fanningOutUntilMs": {
    holds: "tenants of which a page of a wide event is being written",
    entries: 200,
    bytes: 100,
  },
  "webhooks/delivery/isolate-memory.ts endedSinceFed": {
    holds: "ended deliveries, by subscription",
    entries: 10_000,
    bytes: SMALL,
  },
  "webhooks/delivery/isolate-memory.ts feedingUntilMs": { holds: "feeders, by database", entries: 100, bytes: SMALL },
  "webhooks/delivery/isolate-memory.ts overloads": { holds: "overloads, by database", entries: 100, bytes: SMALL },
  "webhooks/event-types/rules-cache.ts tenants": {
    holds: "rules and filters, by tenant: at most 1 MiB of each",
    bytes: 16 * MIB,
  },
  // 100 types of a tenant.
  "webhooks/event-types/rules.ts warned": { holds: "warned events, by tenant", entries: 200, bytes: 40 * KIB },
  "webhooks/events/accept-statements-store.ts known": { holds: "statements", entries: 190, bytes: 32 * KIB },
  "webhooks/events/expected-deliveries.ts lastCounts": { holds: "deliveries, by type", entries: 10_000, bytes: 400 },
  "webhooks/plane/wake-polls.ts wokenAtMs": { holds: "wakes of polls, by tenant", entries: 500, bytes: SMALL },
  "webhooks/sources/refusals.ts refusedAt": { holds: "refused calls, by address", entries: 4_000, bytes: 500 },
  "webhooks/sources/refusals.ts unwritten": { holds: "errors of sources", entries: 4_000, bytes: SMALL },
};

/** The most that a cache holds, in bytes. */
export const mostBytesOf = ({ entries = 1, bytes }: Cache): number => entries * bytes;
