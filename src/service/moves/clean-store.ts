/** Deleting what a tenant has in a delivery database that it does not use. */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";

const CLEANED_ROWS = 500;

/** What a tenant has left, found by its subscriptions or by its id; the rows of a subscription before it. */
const OF_SUBSCRIPTIONS = ["attempts", "hourly_stats", "manual_retries", "signing_keys", "replay_jobs", "episodes"];
const OF_TENANT = [
  "publishers",
  "idempotency_keys",
  "order_sequences",
  "event_type_versions",
  "event_types",
  "publish_rules",
  "catalog_files",
  "subscription_events",
  "audit_feeds",
  "sends_held",
  "feed_entries",
  "feed_logs",
  "feed_types",
  "feed_consumers",
  "feeds",
  "subscriptions",
];

/**
 * Deletes a page of what a tenant has left in a database, from the table with this number on; its audit log too if
 * `withAudit`. Returns the number of the table that has more; null at the end.
 */
export async function cleanPage(db: Db, tenantId: string, withAudit: boolean, first: number): Promise<number | null> {
  const pages = [
    ...OF_SUBSCRIPTIONS.map((table) => ({
      table,
      which: sql`subscription_id IN (SELECT id FROM subscriptions WHERE tenant_id = ${tenantId})`,
    })),
    ...[...OF_TENANT, ...(withAudit ? ["audit_events"] : []), "departed_tenants"].map((table) => ({
      table,
      which: sql`tenant_id = ${tenantId}`,
    })),
  ];
  for (const [at, { table, which }] of pages.entries()) {
    if (at < first) continue;
    const key = sql.raw(KEYS[table] ?? "tenant_id");
    const { count } = await repeatable(() =>
      atomically(db, {
        deleted: sql`DELETE FROM ${sql.raw(table)} WHERE (${key}) IN (SELECT ${key} FROM ${sql.raw(table)}
          WHERE ${which}
          LIMIT ${CLEANED_ROWS})`,
        count: CHANGES,
      }),
    );
    if (countOf(count) === CLEANED_ROWS) return at;
  }
  return null;
}

const KEYS: Readonly<Record<string, string>> = {
  attempts: "subscription_id, id",
  hourly_stats: "subscription_id, hour",
  manual_retries: "subscription_id, event_id",
  signing_keys: "subscription_id, id",
  replay_jobs: "subscription_id, id",
  episodes: "subscription_id",
  idempotency_keys: "tenant_id, key",
  order_sequences: "tenant_id, key",
  event_type_versions: "tenant_id, name, version",
  event_types: "tenant_id, name",
  catalog_files: "tenant_id, format",
  subscription_events: "tenant_id, event_type, subscription_id",
  sends_held: "tenant_id, cause",
  feed_entries: "tenant_id, position",
  feed_types: "tenant_id, event_type, feed_id",
  feed_consumers: "tenant_id, feed_id, name",
  feeds: "tenant_id, id",
  subscriptions: "id",
  audit_events: "tenant_id, id",
};
