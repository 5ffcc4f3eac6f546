/** How much a tenant stores, and how full its delivery database is, as the hourly upkeep has noted it. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList } from "../../platform/db/client";

/** The columns of a tenant `t` for `TenantStanding`. */
export const STORAGE_COLUMNS = sql`t.stored_bytes AS storedBytes,
  coalesce((SELECT sh.bytes FROM shards sh WHERE sh.shard = t.shard), 0) AS databaseBytes,
  (SELECT sh.compresses_from FROM shards sh WHERE sh.shard = t.shard) AS compressesFrom`;

/** The values of `STORAGE_COLUMNS`. */
export interface StorageRow {
  storedBytes: number;
  databaseBytes: number;
  compressesFrom: number | null;
}

/** Notes how much these tenants of a database store, and 0 for its others. Writes only rows that change. */
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
  });
}
