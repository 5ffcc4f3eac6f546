/**
 * Deleting by age, across the tenants of one delivery database. Ids contain their time, so every statement reads a
 * range of a primary key. An index on time would cost one more written row per delivery.
 */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, rows } from "../../platform/db/client";
import { firstIdAt } from "../../platform/db/ids";

const SUBSCRIPTIONS_PER_PAGE = 500;

/**
 * Deletes a page of up to `limit` attempts that started before `before` (Unix ms), of the subscriptions after
 * `afterSubscription`. `next` is the `afterSubscription` of the next page: the same one while pages are full, null at
 * the end.
 */
export async function deleteOldAttempts(
  db: Db,
  before: number,
  afterSubscription: string,
  limit: number,
): Promise<{ removed: number; next: string | null }> {
  const group = sql`SELECT id FROM subscriptions WHERE id > ${afterSubscription} ORDER BY id
    LIMIT ${SUBSCRIPTIONS_PER_PAGE}`;
  const { last, removed } = await atomically(db, {
    last: rows<{ id: string | null }>(sql`SELECT max(id) AS id FROM (${group})`),
    deleted: sql`DELETE FROM attempts WHERE (subscription_id, id) IN (
      SELECT a.subscription_id, a.id FROM (${group}) s CROSS JOIN attempts a ON a.subscription_id = s.id
        AND a.id < ${firstIdAt(before)}
      WHERE a.status <> 'pending' LIMIT ${limit})`,
    removed: CHANGES,
  });
  const isFull = countOf(removed) === limit;
  return { removed: countOf(removed), next: isFull ? afterSubscription : (last[0]?.id ?? null) };
}

/**
 * Deletes a page of up to `limit` events from before `before` (Unix ms) that have no open delivery, oldest first.
 * Returns how many.
 */
export async function deleteOldEvents(db: Db, before: number, limit: number): Promise<number> {
  const { removed } = await atomically(db, {
    deleted: sql`DELETE FROM events WHERE id IN (
      SELECT id FROM events WHERE id < ${firstIdAt(before)} AND fan_out_after IS NULL
        AND id NOT IN (SELECT event_id FROM outbox WHERE event_id < ${firstIdAt(before)}) ORDER BY id LIMIT ${limit})`,
    removed: CHANGES,
  });
  return countOf(removed);
}

/**
 * Deletes a page of up to `limit` hours before `before` (Unix ms). The newest hour of a subscription is kept if its
 * `failure_count` is not zero, with its counts of attempts set to 0. Returns the same as `deleteOldAttempts`.
 */
export async function deleteOldHours(
  db: Db,
  before: number,
  afterSubscription: string,
  limit: number,
): Promise<{ removed: number; next: string | null }> {
  const group = sql`SELECT id FROM subscriptions WHERE id > ${afterSubscription} ORDER BY id
    LIMIT ${SUBSCRIPTIONS_PER_PAGE}`;
  const old = sql`(${group}) s CROSS JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour < ${before}`;
  const isNewest = sql`NOT EXISTS (SELECT 1 FROM hourly_stats newer WHERE newer.subscription_id = s.id
    AND newer.hour > h.hour)`;
  const { last, removed } = await atomically(db, {
    last: rows<{ id: string | null }>(sql`SELECT max(id) AS id FROM (${group})`),
    emptied: sql`INSERT OR REPLACE INTO hourly_stats (subscription_id, hour, failure_count, failing_since,
      sent_failures)
      SELECT h.subscription_id, h.hour, h.failure_count, h.failing_since, h.sent_failures FROM (${group}) s
        CROSS JOIN hourly_stats h ON h.subscription_id = s.id AND h.hour = (SELECT max(n.hour) FROM hourly_stats n
          WHERE n.subscription_id = s.id)
      WHERE h.hour < ${before} AND h.failure_count > 0 AND h.succeeded + h.failed > 0`,
    deleted: sql`DELETE FROM hourly_stats WHERE (subscription_id, hour) IN (
      SELECT h.subscription_id, h.hour FROM ${old} WHERE h.failure_count = 0 OR NOT ${isNewest} LIMIT ${limit})`,
    removed: CHANGES,
  });
  const isFull = countOf(removed) === limit;
  return { removed: countOf(removed), next: isFull ? afterSubscription : (last[0]?.id ?? null) };
}

/**
 * Deletes a page of up to `limit` idempotency keys from before `before`, and as many manual retries of events from
 * before `eventsBefore` (Unix ms). Returns how many.
 */
export async function deleteOldKeys(db: Db, before: number, eventsBefore: number, limit: number): Promise<number> {
  const { keys, retries } = await atomically(db, {
    deletedKeys: sql`DELETE FROM idempotency_keys WHERE (tenant_id, key) IN (
      SELECT tenant_id, key FROM idempotency_keys WHERE created_at < ${before} LIMIT ${limit})`,
    keys: CHANGES,
    deletedRetries: sql`DELETE FROM manual_retries WHERE (subscription_id, event_id) IN (
      SELECT subscription_id, event_id FROM manual_retries WHERE event_id < ${firstIdAt(eventsBefore)} LIMIT ${limit})`,
    retries: CHANGES,
  });
  return countOf(keys) + countOf(retries);
}

/**
 * Removes the rows of subscriptions that users deleted before `before` (Unix ms) and whose log is empty. Until then,
 * the view of an event names them. Returns how many.
 */
export async function deleteEmptySubscriptions(db: Db, before: number): Promise<number> {
  const isOver = sql`is_deleted = 1 AND updated_at < ${before}
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.subscription_id = subscriptions.id)`;
  const { removed } = await atomically(db, {
    // Before the subscriptions, whose rows say which hours and replays to delete.
    hours: sql`DELETE FROM hourly_stats WHERE subscription_id IN (SELECT id FROM subscriptions WHERE ${isOver})`,
    replays: sql`DELETE FROM replay_jobs WHERE subscription_id IN (SELECT id FROM subscriptions WHERE ${isOver})`,
    deleted: sql`DELETE FROM subscriptions WHERE ${isOver}`,
    removed: CHANGES,
  });
  return countOf(removed);
}
