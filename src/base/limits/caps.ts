/**
 * The caps: how many things of a kind there may be. The write that adds one counts them, so parallel requests cannot
 * pass a cap.
 */
import { AppError } from "../errors";

/** `limit` is the default of the variable, whose description ends with `note`. */
export const CAPS = {
  subscriptions: { variable: "MAX_SUBSCRIPTIONS_PER_TENANT", limit: 500, per: "tenant", what: "subscriptions" },
  /** Beyond it, a request is refused with EMAIL_NOT_VERIFIED instead. */
  trialSubscriptions: {
    variable: "MAX_SUBSCRIPTIONS_UNVERIFIED",
    limit: 5,
    per: "tenant without a verified owner",
    what: "subscriptions",
  },
  apiKeys: { variable: "MAX_API_KEYS_PER_USER", limit: 50, per: "user", what: "active API keys" },
  tenantApiKeys: { variable: "MAX_API_KEYS_PER_TENANT", limit: 50, per: "tenant", what: "active API keys of its own" },
  portalLinks: {
    variable: "MAX_PORTAL_LINKS_PER_TENANT",
    limit: 1000,
    per: "tenant",
    what: "portal links and tokens",
    note: "Those that have ended do not count, and those that platform keys have made are counted apart.",
  },
  portalLinksOfUser: {
    variable: "MAX_PORTAL_LINKS_PER_USER",
    limit: 50,
    per: "user of a tenant",
    what: "portal links and tokens",
    note: "Those that the user's API keys have made count too.",
  },
  clients: { variable: "MAX_CLIENTS", limit: 500, per: "service", what: "clients" },
  tenantClients: { variable: "MAX_CLIENTS_PER_TENANT", limit: 50, per: "tenant", what: "clients" },
  apps: {
    variable: "MAX_APPS_PER_USER",
    limit: 200,
    per: "user",
    what: "connected apps",
    note: "An app counts once for each tenant.",
  },
  resources: { variable: "MAX_RESOURCES", limit: 100, per: "service", what: "resources" },
  tenantResources: { variable: "MAX_RESOURCES_PER_TENANT", limit: 20, per: "tenant", what: "resources" },
  platformKeys: { variable: "MAX_PLATFORM_KEYS", limit: 100, per: "service", what: "active platform keys" },
  sources: { variable: "MAX_SOURCES_PER_TENANT", limit: 50, per: "tenant", what: "sources" },
  feeds: { variable: "MAX_FEEDS_PER_TENANT", limit: 20, per: "tenant", what: "feeds" },
  feedConsumers: { variable: "MAX_CONSUMERS_PER_FEED", limit: 20, per: "feed", what: "consumers" },
  connections: { variable: "MAX_CONNECTIONS_PER_TENANT", limit: 5, per: "tenant", what: "connections" },
  setupLinks: {
    variable: "MAX_SETUP_LINKS_PER_TENANT",
    limit: 20,
    per: "tenant",
    what: "setup links",
    note: "Those that have ended do not count.",
  },
  domains: { variable: "MAX_DOMAINS_PER_TENANT", limit: 50, per: "tenant", what: "domains" },
  directoryUsers: {
    variable: "MAX_DIRECTORY_USERS",
    limit: 100_000,
    per: "connection",
    what: "people in its directory",
  },
  invitations: { variable: "MAX_INVITATIONS_PER_TENANT", limit: 100, per: "tenant", what: "open invitations" },
  members: { variable: "MAX_MEMBERS_PER_TENANT", limit: 1000, per: "tenant", what: "members" },
  sessions: {
    variable: "MAX_SESSIONS_PER_USER",
    limit: 100,
    per: "user",
    what: "sessions",
    note: "Beyond that, the oldest one ends.",
  },
} as const;

/** How many of a kind are stored at most for each that may be in use: those that have ended are kept for a while. */
export const KEPT_PER_USED = 100;

export type CapName = keyof typeof CAPS;
export type Caps = Record<CapName, number>;

/** Returns the error that refuses to exceed a cap. */
export function capReached(name: CapName, caps: Caps): AppError {
  const { per, what } = CAPS[name];
  return new AppError("CONFLICT", { message: `A ${per} can have at most ${caps[name]} ${what}.` });
}

/** Returns the error that refuses more than `KEPT_PER_USED` times as many, with those that have ended. */
export const keptReached = (per: string, most: number, what: string): AppError =>
  new AppError("CONFLICT", {
    message: `A ${per} can have at most ${most * KEPT_PER_USED} ${what}, with those that have ended lately.`,
  });
