/** Feeds in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, query, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditOf } from "../../tenancy/audit/record-store";
import { headOf } from "../events/entries-store";
import { writeBatch } from "../plane/write";

export interface FeedRow {
  id: string;
  name: string;
  events: string[];
  /** Unix ms. */
  createdAt: number;
  updatedAt: number;
}

type StoredRow = Omit<FeedRow, "events"> & { events: string };

const COLUMNS = sql.raw("f.id, f.name, f.events, f.created_at AS createdAt, f.updated_at AS updatedAt");

const parsed = (row: StoredRow): FeedRow => ({ ...row, events: JSON.parse(row.events) as string[] });

/** The types in the row of a feed, as SQL. */
const typesOf = (tenantId: string, feedId: string): SQL => sql`feeds f CROSS JOIN json_each(f.events) j
  WHERE f.tenant_id = ${tenantId} AND f.id = ${feedId}`;

/** Lists the types of the feed's row that are not listed yet, from the next entry on. */
const listTypes = (tenantId: string, feedId: string): SQL =>
  sql`INSERT INTO feed_types (tenant_id, event_type, feed_id, from_position)
    SELECT f.tenant_id, j.value, f.id, ${headOf(sql`${tenantId}`)} + 1 FROM ${typesOf(tenantId, feedId)}
    ON CONFLICT DO NOTHING`;

/** Inserts a feed, unless the tenant has `most` already. Returns whether it has. */
export async function insertFeed(deps: Deps, tenant: ActingIn, row: FeedRow, most: number): Promise<boolean> {
  const { tenantId } = tenant;
  const { inserted } = await writeBatch(deps, tenant, {
    inserted: rows<{ id: string }>(sql`INSERT INTO feeds (tenant_id, id, name, events, trimmed_to, created_at,
        updated_at)
      SELECT ${tenantId}, ${row.id}, ${row.name}, ${jsonList(row.events)}, ${headOf(sql`${tenantId}`)},
        ${row.createdAt}, ${row.updatedAt}
      WHERE (SELECT count(*) FROM feeds WHERE tenant_id = ${tenantId}) < ${most} RETURNING id`),
    recorded: auditOf(tenant, "feed.created", { kind: "feed", id: row.id }),
    listed: listTypes(tenantId, row.id),
    log: sql`INSERT INTO feed_logs (tenant_id, trimmed_to) SELECT ${tenantId}, 0 WHERE EXISTS (SELECT 1 FROM feeds f
      WHERE f.tenant_id = ${tenantId}) ON CONFLICT DO NOTHING`,
  });
  return inserted.length === 1;
}

/** The tenant's feeds, newest first. */
export async function listFeeds({ shards }: Deps, { tenantId, shard }: TenantRef): Promise<FeedRow[]> {
  const found = await query<StoredRow>(shards.db(shard))`SELECT ${COLUMNS} FROM feeds f WHERE f.tenant_id = ${tenantId}
    ORDER BY f.id DESC`;
  return found.map(parsed);
}

/** The tenant's feed; undefined when it has none with this id. */
export async function findFeed(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  id: string,
): Promise<FeedRow | undefined> {
  const found = await queryFirst<StoredRow>(shards.db(shard))`SELECT ${COLUMNS} FROM feeds f
    WHERE f.tenant_id = ${tenantId} AND f.id = ${id}`;
  return found && parsed(found);
}

/**
 * Writes a change. Returns false if the feed has changed since it was read, or is gone. Events of types that it does
 * not list any more are not in the feed any more; those of new types are from now on.
 */
export async function updateFeed(deps: Deps, tenant: ActingIn, before: FeedRow, after: FeedRow): Promise<boolean> {
  const { tenantId } = tenant;
  const [was, becomes] = [jsonList(before.events), jsonList(after.events)];
  const changed = [...(before.name === after.name ? [] : ["name"]), ...(was === becomes ? [] : ["events"])];
  const { updated } = await writeBatch(deps, tenant, {
    updated: rows<{ id: string }>(sql`UPDATE feeds SET name = ${after.name}, events = ${becomes},
        updated_at = ${after.updatedAt}
      WHERE tenant_id = ${tenantId} AND id = ${before.id} AND name = ${before.name} AND events = ${was} RETURNING id`),
    recorded: auditOf(tenant, "feed.updated", { kind: "feed", id: before.id }, { changed }),
    // What the row lists by now: another change may have been faster.
    unlisted: sql`DELETE FROM feed_types WHERE tenant_id = ${tenantId} AND feed_id = ${before.id}
      AND event_type NOT IN (SELECT j.value FROM ${typesOf(tenantId, before.id)})`,
    listed: listTypes(tenantId, before.id),
  });
  return updated.length === 1;
}

/** Deletes the tenant's feed with its consumers. Returns false when it has none with this id. */
export async function deleteFeed(deps: Deps, tenant: ActingIn, id: string): Promise<boolean> {
  const ofFeed = sql`tenant_id = ${tenant.tenantId} AND feed_id = ${id}`;
  const { deleted } = await writeBatch(deps, tenant, {
    consumers: sql`DELETE FROM feed_consumers WHERE ${ofFeed}`,
    types: sql`DELETE FROM feed_types WHERE ${ofFeed}`,
    deleted: rows<{ id: string }>(sql`DELETE FROM feeds WHERE tenant_id = ${tenant.tenantId} AND id = ${id}
      RETURNING id`),
    recorded: auditOf(tenant, "feed.deleted", { kind: "feed", id }),
  });
  return deleted.length === 1;
}
