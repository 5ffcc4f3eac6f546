/** The sizes of the delivery databases, and which one a new tenant gets. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList } from "./client";
import type { Shards } from "./shards";

/** The largest size of a D1 database. */
export const MAX_SHARD_BYTES = 10_000_000_000;
/** A database that is fuller than this gets no new tenants. */
export const CLOSED_AT = 0.85;

/** Returns the number of the emptiest database that is open to new tenants, as SQL; 0 when all are closed. */
export const emptiestShard = (shards: Shards): SQL => sql`coalesce((
  SELECT n.value FROM json_each(${jsonList(shards.numbers)}) n LEFT JOIN shards ON shards.shard = n.value
  WHERE coalesce(shards.bytes, 0) < ${MAX_SHARD_BYTES * CLOSED_AT} ORDER BY coalesce(shards.bytes, 0), random()
    LIMIT 1), 0)`;

/** Returns the size of a database in bytes, as D1 reports it. */
export async function readSize(db: Db): Promise<number> {
  const { meta } = await db.$client.prepare("SELECT 1").all();
  return (meta as { size_after?: number }).size_after ?? 0;
}

/** Stores the size of a database. */
export async function noteSize(db: Db, shard: number, bytes: number, nowMs: number): Promise<void> {
  await atomically(db, {
    noted: sql`INSERT INTO shards (shard, bytes, noted_at) VALUES (${shard}, ${bytes}, ${nowMs})
      ON CONFLICT (shard) DO UPDATE SET bytes = excluded.bytes, noted_at = excluded.noted_at`,
  });
}
