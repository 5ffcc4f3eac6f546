/** What a move reads, writes and deletes in the delivery databases. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, queryFirst, rows } from "../../base/db/client";
import { insertRows, type StoredRow } from "../../base/db/copy";
import { repeatable } from "../../base/db/faults";
import { firstIdAt } from "../../base/db/ids";
import { isNewestHour } from "../../webhooks/plane/hours-store";

const ofSubscriptions = (table: string, alias: string, tenantId: string, condition: SQL = sql`true`) =>
  rows<StoredRow>(sql`SELECT ${sql.raw(alias)}.* FROM subscriptions s CROSS JOIN ${sql.raw(table)} ${sql.raw(alias)}
    ON ${sql.raw(alias)}.subscription_id = s.id WHERE s.tenant_id = ${tenantId} AND ${condition}`);

const ofTenant = (table: string, tenantId: string) =>
  rows<StoredRow>(sql`SELECT * FROM ${sql.raw(table)} WHERE tenant_id = ${tenantId}`);

/**
 * Copies the subscriptions of a tenant and what belongs to them, except their history. The fence keeps them as they are
 * meanwhile. Can be repeated: what a subscription has is copied only before the subscription itself.
 */
export async function copySubscriptions(from: Db, to: Db, tenantId: string): Promise<void> {
  const read = await repeatable(() =>
    atomically(from, {
      subscriptions: ofTenant("subscriptions", tenantId),
      index: ofTenant("subscription_events", tenantId),
      keys: ofSubscriptions("signing_keys", "k", tenantId),
      episodes: ofSubscriptions("episodes", "e", tenantId),
      hours: ofSubscriptions(
        "hourly_stats",
        "h",
        tenantId,
        sql`${isNewestHour(sql.raw("s.id"))}
        AND h.failure_count + h.sent_failures > 0`,
      ),
      feeds: ofTenant("audit_feeds", tenantId),
      holds: ofTenant("sends_held", tenantId),
      pulled: ofTenant("feeds", tenantId),
      pulledTypes: ofTenant("feed_types", tenantId),
      pulledLog: ofTenant("feed_logs", tenantId),
      consumers: ofTenant("feed_consumers", tenantId),
      types: ofTenant("event_types", tenantId),
      rules: ofTenant("publish_rules", tenantId),
    }),
  );
  const isNew = sql`NOT EXISTS (SELECT 1 FROM subscriptions x WHERE x.id = j.value ->> 'subscription_id')`;
  await repeatable(() =>
    atomically(to, {
      index: insertRows("subscription_events", read.index, isNew),
      keys: insertRows("signing_keys", read.keys, isNew),
      episodes: insertRows("episodes", read.episodes, isNew),
      hours: insertRows("hourly_stats", read.hours.map(withoutAttempts), isNew),
      feeds: insertRows("audit_feeds", read.feeds),
      holds: insertRows("sends_held", read.holds),
      pulled: insertRows("feeds", read.pulled),
      pulledTypes: insertRows("feed_types", read.pulledTypes),
      pulledLog: insertRows("feed_logs", read.pulledLog),
      consumers: insertRows("feed_consumers", read.consumers),
      types: insertRows("event_types", read.types),
      rules: insertRows("publish_rules", read.rules),
      subscriptions: insertRows("subscriptions", read.subscriptions.map(withEmptyLane)),
    }),
  );
}

/** The hour of the last attempt says whether the subscription fails; its attempts are counted where they were made. */
const withoutAttempts = (hour: StoredRow): StoredRow => ({
  ...Object.fromEntries(Object.keys(hour).map((column) => [column, 0])),
  subscription_id: hour.subscription_id ?? "",
  hour: hour.hour ?? 0,
  failure_count: hour.failure_count ?? 0,
  failing_since: hour.failing_since ?? null,
  sent_failures: hour.sent_failures ?? 0,
});

/** Its waiting deliveries stay. A subscription that is paused or cools down goes on to hold what comes. */
function withEmptyLane(row: StoredRow): StoredRow {
  const holds = row.enabled === 0 && row.released_to !== null;
  const isCooling = Number(row.held_until) > 0;
  return {
    ...row,
    has_backlog: holds || isCooling ? 1 : 0,
    released_to: holds ? 0 : null,
    release_rate: 0,
    released_at: null,
    dropped_to: null,
    throttled_until: 0,
  };
}

/** Ends in the former database what the new one does from now on. Can be repeated. */
export async function endDuties(db: Db, tenantId: string): Promise<void> {
  await repeatable(() =>
    atomically(db, {
      episodes: sql`DELETE FROM episodes WHERE subscription_id IN (SELECT id FROM subscriptions
        WHERE tenant_id = ${tenantId})`,
      feed: sql`DELETE FROM audit_feeds WHERE tenant_id = ${tenantId}`,
    }),
  );
}

/**
 * Whether a tenant has attempts since `since` (Unix ms) in this database, or deliveries that have not ended. Attempts
 * and backlogs have keys; the rest of the outbox is read only if there are neither.
 */
export async function isInUse(db: Db, tenantId: string, since: number): Promise<boolean> {
  const has = (table: string, which: SQL) => sql`EXISTS (SELECT 1 FROM subscriptions s
    CROSS JOIN ${sql.raw(table)} o ON ${which} WHERE s.tenant_id = ${tenantId})`;
  const found = await queryFirst<{ isInUse: number }>(db)`SELECT CASE
    WHEN ${has("attempts", sql`o.subscription_id = s.id AND o.id >= ${firstIdAt(since)}`)} THEN 1
    WHEN ${has("outbox", sql`o.queue = s.id`)} THEN 1
    ELSE EXISTS (SELECT 1 FROM outbox WHERE tenant_id = ${tenantId}) END AS isInUse`;
  return found?.isInUse === 1;
}
