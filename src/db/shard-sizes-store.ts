/** How full the delivery databases are, and which of them a new tenant gets. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList } from "./client";
import type { Shards } from "./shards";

/** D1 ends here. */
export const MAX_SHARD_BYTES = 10_000_000_000;
/** A fuller database gets no new tenants. */
export const CLOSED_AT = 0.85;

/** The number of the emptiest database that is open to new tenants, as SQL; the first one when all are closed. */
export const emptiestShard = (shards: Shards): SQL => sql`coalesce((
  SELECT n.value FROM json_each(${jsonList(shards.numbers)}) n LEFT JOIN shards ON shards.shard = n.value
  WHERE coalesce(shards.bytes, 0) < ${MAX_SHARD_BYTES * CLOSED_AT} ORDER BY coalesce(shards.bytes, 0), random() LIMIT 1), 0)`;

/** The size of a database in bytes, as D1 reports it. */
export async function readSize(db: Db): Promise<number> {
  const { meta } = await db.$client.prepare("SELECT 1").all();
  return (meta as { size_after?: number }).size_after ?? 0;
}

/** Keeps what was read. */
export async function noteSize(db: Db, shard: number, bytes: number, nowMs: number): Promise<void> {
  await atomically(db, {
    noted: sql`INSERT INTO shards (shard, bytes, noted_at) VALUES (${shard}, ${bytes}, ${nowMs})
      ON CONFLICT (shard) DO UPDATE SET bytes = excluded.bytes, noted_at = excluded.noted_at`,
  });
}
