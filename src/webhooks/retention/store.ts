/**
 * Deleting by age, across the tenants of one delivery database. Ids contain their time, so every statement reads a
 * range of a primary key. An index on time would cost one more written row per delivery.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, jsonList, query, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { MaintenancePage } from "../../base/db/paged-maintenance";
import { searchPage } from "../../base/db/table-search";
import { PLACEHOLDER } from "../plane/outbox-store";

const SUBSCRIPTIONS_PER_PAGE = 1_000;
/** Few old events have an open delivery. */
const MAX_OWED_EVENTS = 2_000;

/**
 * Deletes up to `limit` attempts that started before `before` (Unix ms), of a page of subscriptions after
 * `afterSubscription`. The next page begins at the same place while pages are full.
 */
export async function deleteOldAttempts(
  db: Db,
  before: number,
  afterSubscription: string,
  limit: number,
): Promise<MaintenancePage> {
  const isOld = sql`a.id < ${firstIdAt(before)}`;
  const isDue = sql`EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = s.id AND ${isOld})`;
  const { due, last } = duePage(await atomically(db, { found: searchDue(afterSubscription, isDue) }));
  if (due.length === 0) return { count: 0, next: last };
  // Between claim and record, the outbox row still names the placeholder. Without it, the sweep would plan the attempt
  // again.
  const isInProgress = sql`(a.status = 'pending' OR a.status = ${PLACEHOLDER} AND EXISTS (SELECT 1 FROM attempts n
    WHERE n.subscription_id = a.subscription_id AND n.id = a.next_id AND n.status = 'pending'))`;
  const { removed } = await atomically(db, {
    deleted: sql`DELETE FROM attempts WHERE (subscription_id, id) IN (
      SELECT a.subscription_id, a.id FROM json_each(${jsonList(due)}) s CROSS JOIN attempts a
        ON a.subscription_id = s.value AND ${isOld}
      WHERE NOT ${isInProgress} LIMIT ${limit})`,
    removed: CHANGES,
  });
  return pageOf(countOf(removed), limit, afterSubscription, last);
}

/** A page of subscriptions: those that have something to delete, and the last one; null for an empty page. */
interface DuePage {
  /** A JSON array. */
  due: string;
  last: string | null;
}

/**
 * Finds the subscriptions of the page after an id that have something to delete: a row for each, and one more that
 * decides. Most pages have none.
 */
const searchDue = (after: string, isDue: SQL) =>
  rows<DuePage>(sql`SELECT max(s.id) AS last, json_group_array(s.id) FILTER (WHERE ${isDue}) AS due
    FROM (SELECT id FROM subscriptions WHERE id > ${after} ORDER BY id LIMIT ${SUBSCRIPTIONS_PER_PAGE}) s`);

const duePage = ({ found: [page] }: { found: DuePage[] }) => ({
  due: JSON.parse(page?.due ?? "[]") as string[],
  last: page?.last ?? null,
});

const pageOf = (count: number, limit: number, cursor: string, last: string | null): MaintenancePage => ({
  count,
  next: count === limit ? cursor : last,
});

/** A range of old events, and those in it that have an open delivery. */
export interface OwedEvents {
  ids: string[];
  /** The events of the range have ids before this one. */
  end: string;
  /** Whether it is the last range. */
  isLast: boolean;
}

/**
 * Returns the next events, after the id `after` and from before `before` (Unix ms), of which deliveries are still owed.
 * Reads the whole outbox, which has no index by event.
 */
export async function owedEventsBefore(db: Db, before: number, after: string): Promise<OwedEvents> {
  const found = await query<{ id: string }>(db)`SELECT DISTINCT event_id AS id FROM outbox WHERE event_id > ${after}
    AND event_id < ${firstIdAt(before)} ORDER BY event_id LIMIT ${MAX_OWED_EVENTS}`;
  const ids = found.map(({ id }) => id);
  const isLast = ids.length < MAX_OWED_EVENTS;
  return { ids, end: isLast ? firstIdAt(before) : (ids.at(-1) ?? ""), isLast };
}

/** Deletes from a page of `limit` events after the id `after` those of the range `owed` that have no open delivery. */
export async function deleteOldEvents(
  db: Db,
  { ids, end }: OwedEvents,
  after: string,
  limit: number,
): Promise<MaintenancePage> {
  const page = sql`SELECT id, fan_out_after FROM events WHERE id > ${after} AND id < ${end} ORDER BY id LIMIT ${limit}`;
  const { last, removed } = await atomically(db, {
    last: rows<{ id: string | null; examined: number }>(sql`SELECT max(id) AS id, count(*) AS examined FROM (${page})`),
    deleted: sql`DELETE FROM events WHERE id IN (SELECT id FROM (${page}) WHERE fan_out_after IS NULL
      AND id NOT IN (SELECT value FROM json_each(${jsonList(ids)})))`,
    removed: CHANGES,
  });
  const isLast = last[0]?.examined !== limit;
  return { count: countOf(removed), next: isLast ? null : (last[0]?.id ?? null) };
}

/**
 * Deletes a page of up to `limit` hours before `before` (Unix ms). The newest hour of a subscription is kept if its
 * `failure_count` is not zero, with its counts of attempts set to 0. The pages are those of `deleteOldAttempts`.
 */
export async function deleteOldHours(
  db: Db,
  before: number,
  afterSubscription: string,
  limit: number,
): Promise<MaintenancePage> {
  const isDue = sql`EXISTS (SELECT 1 FROM hourly_stats h WHERE h.subscription_id = s.id AND h.hour < ${before})`;
  const { due, last } = duePage(await atomically(db, { found: searchDue(afterSubscription, isDue) }));
  if (due.length === 0) return { count: 0, next: last };
  const page = sql`json_each(${jsonList(due)}) s CROSS JOIN hourly_stats h ON h.subscription_id = s.value`;
  const isNewest = sql`NOT EXISTS (SELECT 1 FROM hourly_stats newer WHERE newer.subscription_id = s.value
    AND newer.hour > h.hour)`;
  const { removed } = await atomically(db, {
    emptied: sql`INSERT OR REPLACE INTO hourly_stats (subscription_id, hour, failure_count, failing_since,
      sent_failures)
      SELECT h.subscription_id, h.hour, h.failure_count, h.failing_since, h.sent_failures FROM ${page}
        AND h.hour = (SELECT max(n.hour) FROM hourly_stats n WHERE n.subscription_id = s.value)
      WHERE h.hour < ${before} AND h.failure_count > 0 AND h.succeeded + h.failed > 0`,
    deleted: sql`DELETE FROM hourly_stats WHERE (subscription_id, hour) IN (
      SELECT h.subscription_id, h.hour FROM ${page} AND h.hour < ${before}
      WHERE h.failure_count = 0 OR NOT ${isNewest} LIMIT ${limit})`,
    removed: CHANGES,
  });
  return pageOf(countOf(removed), limit, afterSubscription, last);
}

const KEYS = { table: "idempotency_keys", key: ["tenant_id", "key"], columns: ["created_at"] };
const NUMBERS = { table: "order_sequences", key: ["tenant_id", "key"], columns: ["used_at"] };
const RETRIES = { table: "manual_retries", key: ["subscription_id", "event_id"], columns: [] };

const all = (limit: number) => ({ examined: limit, changed: limit });

/** Deletes from a page of `limit` idempotency keys those from before `before` (Unix ms). */
export const deleteOldKeys = (db: Db, before: number, cursor: string, limit: number): Promise<MaintenancePage> =>
  searchPage(db, { ...KEYS, condition: sql`created_at < ${before}` }, cursor, all(limit));

/** Deletes from a page of `limit` numbered keys those that were last used before `before` (Unix ms). */
export const deleteOldNumbers = (db: Db, before: number, cursor: string, limit: number): Promise<MaintenancePage> =>
  searchPage(db, { ...NUMBERS, condition: sql`used_at < ${before}` }, cursor, all(limit));

/** Deletes from a page of `limit` manual retries those of events from before `before` (Unix ms). */
export const deleteOldRetries = (db: Db, before: number, cursor: string, limit: number): Promise<MaintenancePage> =>
  searchPage(db, { ...RETRIES, condition: sql`event_id < ${firstIdAt(before)}` }, cursor, all(limit));

/**
 * Removes up to `limit` subscriptions that users deleted before `before` (Unix ms) and whose log and lane are empty.
 * Until then, the view of an event names them. Returns how many.
 */
export async function deleteEmptySubscriptions(db: Db, before: number, limit: number): Promise<number> {
  const ended = sql`(SELECT id FROM subscriptions WHERE is_deleted = 1 AND updated_at < ${before}
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.subscription_id = subscriptions.id)
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.queue = subscriptions.id) ORDER BY id LIMIT ${limit})`;
  const { removed } = await atomically(db, {
    // Before the subscriptions, whose rows say which hours and replays to delete.
    hours: sql`DELETE FROM hourly_stats WHERE subscription_id IN ${ended}`,
    replays: sql`DELETE FROM replay_jobs WHERE subscription_id IN ${ended}`,
    deleted: sql`DELETE FROM subscriptions WHERE id IN ${ended}`,
    removed: CHANGES,
  });
  return countOf(removed);
}
