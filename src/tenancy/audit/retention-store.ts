/**
 * Deleting from the audit log of one database, across its tenants. Every statement reads ranges of the primary key, at
 * most a page.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, jsonList, query, queryFirst, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { SERVICE_LOG } from "./record-store";

/** How many events one statement deletes. Few: each costs two written rows, and publishes wait for it. */
export const DELETED_EVENTS = 50;
/** How many events of a tenant one statement counts: few, too. A smaller number of events is never too many. */
const COUNTED_EVENTS = 1_000;
/** How many tenants one statement looks at for whether they have more. */
export const TENANTS_AT_ONCE = 5;
/** How many tenants a page has. */
const PAGE_TENANTS = 200;
/** How many of them may be due in a page. Each may have a page of events to count. */
const PAGE_DUE = 20;

/** A tenant of whose events some may have to go. */
interface DueTenant {
  tenantId: string;
  /** Whether it has events that are too old. */
  hasOld: boolean;
  /** Whether it has events that the cap may delete, and recent ones, so that it may have become too large. */
  isGrowing: boolean;
}

/** From when events count, Unix ms. */
interface Bounds {
  /** Older events are too old. */
  oldBefore: number;
  /** The cap deletes only older events. */
  cappedBefore: number;
  recentFrom: number;
}

/**
 * Looks at the next tenants that have events, in the order of their ids; `after` is the last one of the page before.
 * The first row of each tells its oldest event, and where to look for the next one. `last` is null at the end.
 */
export async function nextTenants(
  db: Db,
  after: string,
  { oldBefore, cappedBefore, recentFrom }: Bounds,
): Promise<{ due: DueTenant[]; last: string | null }> {
  const firstAfter = (id: SQL) => sql`(SELECT json_array(e.tenant_id, e.id) FROM audit_events e
    WHERE e.tenant_id > ${id} ORDER BY e.tenant_id, e.id LIMIT 1)`;
  const hasOld = sql`t.first ->> 1 < ${firstIdAt(oldBefore)}`;
  // The log of the service has no cap.
  const isGrowing = sql`(t.first ->> 1 < ${firstIdAt(cappedBefore)} AND t.first ->> 0 <> ${SERVICE_LOG}
    AND EXISTS (SELECT 1 FROM audit_events n WHERE n.tenant_id = t.first ->> 0 AND n.id >= ${firstIdAt(recentFrom)}))`;
  const found = await queryFirst<{ due: string; last: string | null }>(db)`WITH RECURSIVE t(first) AS (
      SELECT ${firstAfter(sql`${after}`)}
      UNION ALL SELECT ${firstAfter(sql`t.first ->> 0`)} FROM t WHERE t.first IS NOT NULL
      LIMIT ${PAGE_TENANTS})
    SELECT max(t.first ->> 0) AS last, json_group_array(json_array(t.first ->> 0, ${hasOld}, ${isGrowing}))
      FILTER (WHERE ${hasOld} OR ${isGrowing}) AS due FROM t WHERE t.first IS NOT NULL`;
  const due = (JSON.parse(found?.due ?? "[]") as [string, 0 | 1, 0 | 1][])
    .map((row) => ({ tenantId: row[0], hasOld: row[1] === 1, isGrowing: row[2] === 1 }))
    .sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const page = due.slice(0, PAGE_DUE);
  return { due: page, last: page.length < due.length ? (page.at(-1)?.tenantId ?? null) : (found?.last ?? null) };
}

/** Deletes a page of the events of these tenants that are older than `before` (Unix ms). Returns how many. */
export async function deleteEventsBefore(db: Db, tenantIds: readonly string[], before: number): Promise<number> {
  const { removed } = await atomically(db, {
    deleted: sql`DELETE FROM audit_events WHERE (tenant_id, id) IN (
      SELECT e.tenant_id, e.id FROM json_each(${jsonList(tenantIds)}) t CROSS JOIN audit_events e
        ON e.tenant_id = t.value AND e.id < ${firstIdAt(before)} LIMIT ${DELETED_EVENTS})`,
    removed: CHANGES,
  });
  return countOf(removed);
}

/** Returns which of these tenants have more than a page of events. */
export async function tenantsWithMany(db: Db, tenantIds: readonly string[]): Promise<string[]> {
  const found = await query<{ tenantId: string }>(db)`SELECT t.value AS tenantId
    FROM json_each(${jsonList(tenantIds)}) t
    WHERE EXISTS (SELECT 1 FROM audit_events e WHERE e.tenant_id = t.value ORDER BY e.id
      LIMIT 1 OFFSET ${COUNTED_EVENTS})`;
  return found.map(({ tenantId }) => tenantId);
}

/** Events are counted apart from those of subscriptions, of which programs can make many. */
export type EventClass = "webhook" | "other";

const isOfWebhooks = sql.raw("substr(action, 1, 8) = 'webhook.'");
const isOfClass = (eventClass: EventClass): SQL =>
  eventClass === "webhook" ? sql`${isOfWebhooks}` : sql`NOT ${isOfWebhooks}`;

/** A page of events, counted. */
interface CountedPage {
  /** How many events of each class it has. */
  counts: Record<EventClass, number>;
  /** Its oldest event; null for an empty page. */
  oldest: string | null;
  isLast: boolean;
}

/** Counts the events before the one with the id `before`, newest first, at most a page. */
export async function countPage(db: Db, tenantId: string, before: string): Promise<CountedPage> {
  const counted = await queryFirst<{ webhook: number; all: number; oldest: string | null }>(db)`SELECT count(*)
    AS "all", count(*) FILTER (WHERE ${isOfWebhooks}) AS webhook, min(id) AS oldest
    FROM (SELECT id, action FROM audit_events WHERE tenant_id = ${tenantId} AND id < ${before}
      ORDER BY id DESC LIMIT ${COUNTED_EVENTS})`;
  const { webhook = 0, all = 0, oldest = null } = counted ?? {};
  return { counts: { webhook, other: all - webhook }, oldest, isLast: all < COUNTED_EVENTS };
}

/** Returns the id of the `count`th event of a class between these ids, newest first; null when there are fewer. */
export async function idOfNth(
  db: Db,
  tenantId: string,
  { eventClass, before, oldest }: { eventClass: EventClass; before: string; oldest: string },
  count: number,
): Promise<string | null> {
  const found = await queryFirst<{ id: string }>(db)`SELECT id FROM audit_events WHERE tenant_id = ${tenantId}
    AND id < ${before} AND id >= ${oldest} AND ${isOfClass(eventClass)} ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`;
  return found?.id ?? null;
}

/**
 * Deletes the events of a class among a page of the events after `after` and before `before`, oldest first. Returns how
 * many, and the last event of the page, from which the next page goes on; null after the last page.
 */
export async function deletePageOfClass(
  db: Db,
  tenantId: string,
  { eventClass, after, before }: { eventClass: EventClass; after: string; before: string },
): Promise<{ removed: number; last: string | null }> {
  const page = sql`(SELECT id, action FROM audit_events WHERE tenant_id = ${tenantId} AND id > ${after}
    AND id < ${before} ORDER BY id LIMIT ${DELETED_EVENTS})`;
  const { reached, removed } = await atomically(db, {
    // First: the next statement deletes from the page.
    reached: rows<{ last: string | null }>(sql`SELECT max(id) AS last FROM ${page}`),
    deleted: sql`DELETE FROM audit_events WHERE tenant_id = ${tenantId}
      AND id IN (SELECT id FROM ${page} WHERE ${isOfClass(eventClass)})`,
    removed: CHANGES,
  });
  return { removed: countOf(removed), last: reached[0]?.last ?? null };
}

/** Notes that the log of a tenant has lost events to the cap. Returns whether it is the first time. */
export async function noteTrimmed({ db }: Deps, tenantId: string, nowMs: number): Promise<boolean> {
  const noted = await query<{ id: string }>(db)`UPDATE tenants SET audit_trimmed_at = ${nowMs}
    WHERE id = ${tenantId} AND audit_trimmed_at IS NULL RETURNING id`;
  return noted.length === 1;
}
