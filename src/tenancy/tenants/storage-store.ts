/** How much a tenant stores and how full its delivery database is, as the hourly upkeep has noted it; its feeds. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList } from "../../base/db/client";

/** The columns of a tenant `t` for `TenantStanding`. What a moved tenant has left in its former database counts too. */
export const STORAGE_COLUMNS = sql`t.stored_bytes + iif(t.former_shard IS NULL, 0, coalesce((SELECT mv.stored_bytes
    FROM tenant_moves mv WHERE mv.tenant_id = t.id AND mv.ended_at IS NULL), 0)) AS storedBytes,
  coalesce((SELECT sh.bytes FROM shards sh WHERE sh.shard = t.shard), 0) AS databaseBytes,
  (SELECT sh.compresses_from FROM shards sh WHERE sh.shard = t.shard) AS compressesFrom,
  EXISTS (SELECT 1 FROM feed_tokens ft WHERE ft.tenant_id = t.id) AS hasFeeds`;

/** The values of `STORAGE_COLUMNS`. */
export interface StorageRow {
  storedBytes: number;
  databaseBytes: number;
  compressesFrom: number | null;
  hasFeeds: 0 | 1;
}

/**
 * Notes how much these tenants store in a database, and 0 for its others. For a tenant that was moved from it, its move
 * has the number. Writes only rows that change.
 */
export async function noteStoredBytes(
  db: Db,
  shard: number,
  tenants: readonly { id: string; bytes: number }[],
): Promise<void> {
  const list = jsonList(tenants);
  await atomically(db, {
    noted: sql`UPDATE tenants SET stored_bytes = j.value ->> 'bytes' FROM json_each(${list}) j
      WHERE tenants.id = j.value ->> 'id' AND tenants.shard = ${shard} AND stored_bytes <> j.value ->> 'bytes'`,
    others: sql`UPDATE tenants SET stored_bytes = 0 WHERE shard = ${shard} AND stored_bytes > 0
      AND id NOT IN (SELECT value ->> 'id' FROM json_each(${list}))`,
    left: sql`UPDATE tenant_moves SET stored_bytes = j.value ->> 'bytes' FROM json_each(${list}) j
      WHERE tenant_moves.tenant_id = j.value ->> 'id' AND ended_at IS NULL AND moved_at IS NOT NULL
        AND from_shard = ${shard} AND stored_bytes <> j.value ->> 'bytes'`,
    othersLeft: sql`UPDATE tenant_moves SET stored_bytes = 0 WHERE from_shard = ${shard} AND stored_bytes > 0
      AND tenant_id NOT IN (SELECT value ->> 'id' FROM json_each(${list}))`,
  });
}
