/** The tables of a delivery database in which tenants keep something that grows, and what a row of each takes. */
import type { Keyed } from "../../base/db/table-search";

export interface CountedTable extends Keyed {
  /** The column that leads to the tenant. */
  owner: "tenant_id" | "subscription_id";
  /** A key that sorts before all others; empty texts if it is missing. */
  first?: readonly (string | number)[];
  /** What a row takes besides its `texts`, in bytes, with its keys and indexes. */
  bytes: number;
  /** True for the audit log: only the changes of the last 90 days count. AUDIT_MAX_ROWS bounds older ones. */
  countsRecentChanges?: boolean;
  /** The columns that are counted by their length. It is in the head of a row, so long ones are not read. */
  texts: readonly string[];
}

const ofTenant = (table: string, key: readonly string[], bytes: number, texts: readonly string[]): CountedTable => ({
  table,
  key: ["tenant_id", ...key],
  owner: "tenant_id",
  bytes,
  texts,
});

const ofSubscription = (
  table: string,
  key: readonly string[],
  bytes: number,
  texts: readonly string[] = [],
): CountedTable => ({ table, key: ["subscription_id", ...key], owner: "subscription_id", bytes, texts });

/** In the order in which they are counted. */
export const COUNTED_TABLES: readonly CountedTable[] = [
  {
    table: "events",
    key: ["id"],
    owner: "tenant_id",
    bytes: 160,
    texts: ["payload", "long_payload", "order_key", "filtered"],
  },
  ofSubscription("attempts", ["id"], 200, ["response_body", "long_body", "response_headers", "error"]),
  // Deliveries that are owed: those that are held or wait for a retry too.
  {
    table: "outbox",
    key: ["queue", "due_at", "id"],
    first: ["", -1, ""],
    owner: "tenant_id",
    bytes: 250,
    texts: [],
  },
  ofTenant("idempotency_keys", ["key"], 180, ["key"]),
  ofTenant("order_sequences", ["key"], 60, ["key"]),
  { ...ofTenant("feed_entries", ["position"], 100, ["type"]), first: ["", -1] },
  ofTenant("event_types", ["name"], 100, ["name", "description", "heading", "deprecated"]),
  {
    ...ofTenant("event_type_versions", ["name", "version"], 64, ["schema", "examples", "breaks"]),
    first: ["", "", -1],
  },
  ofTenant("catalog_files", ["format"], 120, ["body"]),
  {
    table: "subscriptions",
    key: ["id"],
    owner: "tenant_id",
    bytes: 400,
    texts: ["url", "events", "secret_sealed", "headers_sealed", "options", "filter", "former_states"],
  },
  ofTenant("subscription_events", ["event_type", "subscription_id"], 90, ["event_type"]),
  ofSubscription("signing_keys", ["id"], 120, ["sealed", "public"]),
  ofSubscription("manual_retries", ["event_id"], 130),
  ofSubscription("replay_jobs", ["id"], 200, ["spec"]),
  { ...ofSubscription("hourly_stats", ["hour"], 70), first: ["", -1] },
  { ...ofTenant("audit_events", ["id"], 250, ["actor_name", "user_agent", "meta"]), countsRecentChanges: true },
  ofTenant("feeds", ["id"], 120, ["name", "events"]),
  ofTenant("feed_types", ["event_type", "feed_id"], 90, ["event_type"]),
  ofTenant("feed_consumers", ["feed_id", "name"], 100, ["name"]),
];
