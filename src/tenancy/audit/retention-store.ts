/**
 * Deleting from the audit log of one database, across its tenants. Every statement reads ranges of the primary key, at
 * most a page.
 */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, jsonList, rows } from "../../platform/db/client";
import { firstIdAt } from "../../platform/db/ids";

/** How many events one statement deletes. Each costs two written rows, and publishes wait for the page. */
export const DELETED_EVENTS = 500;
/** How many events one statement counts. */
export const COUNTED_EVENTS = 5_000;
/** How many tenants one statement looks at. It may count a page of events for each. */
const PAGE_TENANTS = 20;

/** Returns the next tenants that have events, in the order of their ids; `after` is the last one of the page before. */
export async function nextTenants(db: Db, after: string): Promise<string[]> {
  const { found } = await atomically(db, {
    found: rows<{ tenantId: string }>(sql`WITH RECURSIVE t(id) AS (
        SELECT min(tenant_id) FROM audit_events WHERE tenant_id > ${after}
        UNION ALL SELECT (SELECT min(e.tenant_id) FROM audit_events e WHERE e.tenant_id > t.id) FROM t
          WHERE t.id IS NOT NULL
        LIMIT ${PAGE_TENANTS})
      SELECT id AS tenantId FROM t WHERE id IS NOT NULL`),
  });
  return found.map(({ tenantId }) => tenantId);
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

/** Returns which of these tenants have had events since `since` (Unix ms) and have more than a page of them. */
export async function tenantsWithMany(db: Db, tenantIds: readonly string[], since: number): Promise<string[]> {
  const { found } = await atomically(db, {
    found: rows<{ tenantId: string }>(sql`SELECT t.value AS tenantId FROM json_each(${jsonList(tenantIds)}) t
      WHERE EXISTS (SELECT 1 FROM audit_events n WHERE n.tenant_id = t.value AND n.id >= ${firstIdAt(since)})
        AND EXISTS (SELECT 1 FROM audit_events e WHERE e.tenant_id = t.value ORDER BY e.id
          LIMIT 1 OFFSET ${COUNTED_EVENTS})`),
  });
  return found.map(({ tenantId }) => tenantId);
}

/**
 * Returns the id of the `count`th event before the event with the id `before`, newest first; undefined when there are
 * fewer.
 */
export async function idOfNth(db: Db, tenantId: string, before: string, count: number): Promise<string | undefined> {
  const { found } = await atomically(db, {
    found: rows<{ id: string }>(sql`SELECT id FROM audit_events WHERE tenant_id = ${tenantId} AND id < ${before}
      ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`),
  });
  return found[0]?.id;
}

/** Deletes a page of the oldest events of a tenant that are older than the one with this id. Returns how many. */
export async function deleteEventsOlderThan(db: Db, tenantId: string, id: string): Promise<number> {
  const { removed } = await atomically(db, {
    deleted: sql`DELETE FROM audit_events WHERE tenant_id = ${tenantId} AND id IN (
      SELECT e.id FROM audit_events e WHERE e.tenant_id = ${tenantId} AND e.id < ${id} ORDER BY e.id
        LIMIT ${DELETED_EVENTS})`,
    removed: CHANGES,
  });
  return countOf(removed);
}
