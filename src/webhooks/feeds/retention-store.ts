/** Removing old entries of feeds, tenant by tenant, and noting what was removed. */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, type Db, rows } from "../../base/db/client";
import type { MaintenancePage } from "../../base/db/paged-maintenance";
import { entriesAfter, positionAt } from "../events/entries-store";

/**
 * Deletes up to `limit` entries from before `before` (Unix ms) of the first tenant after `afterTenant` that has had a
 * feed. The next page begins at the same place while pages are full.
 */
export async function deleteOldEntries(
  db: Db,
  before: number,
  afterTenant: string,
  limit: number,
): Promise<MaintenancePage> {
  const tenant = sql`(SELECT min(l.tenant_id) FROM feed_logs l WHERE l.tenant_id > ${afterTenant})`;
  const old = sql`SELECT o.position FROM feed_entries o WHERE o.tenant_id = ${tenant}
    AND o.position < ${positionAt(before)} ORDER BY o.position LIMIT ${limit}`;
  const end = sql`(SELECT max(position) FROM (${old}))`;
  const listed = entriesAfter(
    { tenantId: sql`feeds.tenant_id`, feedId: sql`feeds.id` },
    sql`x.position <= ${end}`,
    limit,
  );
  const { tenants, removed } = await atomically(db, {
    tenants: rows<{ id: string | null }>(sql`SELECT ${tenant} AS id`),
    feeds: sql`UPDATE feeds SET trimmed_to = max(trimmed_to, coalesce((SELECT max(position) FROM (${listed})
      WHERE listed), 0)) WHERE tenant_id = ${tenant} AND EXISTS (SELECT 1 FROM (${listed}) WHERE listed)`,
    log: sql`UPDATE feed_logs SET trimmed_to = max(trimmed_to, ${end}) WHERE tenant_id = ${tenant}
      AND ${end} IS NOT NULL`,
    deleted: sql`DELETE FROM feed_entries WHERE tenant_id = ${tenant} AND position <= ${end}`,
    removed: CHANGES,
  });
  const count = countOf(removed);
  return { count, next: count === limit ? afterTenant : (tenants[0]?.id ?? null) };
}
