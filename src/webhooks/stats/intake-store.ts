/** What is known of how much the tenants of a delivery database store, between two counts of all of it. */
import { sql } from "drizzle-orm";
import { type Db, query, queryFirst } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";

/** The last count, and what has come since. */
export interface StorageCount {
  /** When it began, Unix ms. */
  countedAt: number;
  /** What the tenant that stores the most had then, in bytes. */
  largest: number;
  /** What events that were published since take, with their deliveries, in bytes. */
  takenIn: number;
  /** The last of these events. */
  takenTo: string;
}

/** What a tenant that was moved stores in two databases. */
interface Moved {
  /** Whether one that has left this database is above the limit with what it has left. */
  isAbove: boolean;
  /** The most that one of those that have come here has left elsewhere, in bytes. */
  elsewhere: number;
}

/** `count` is null before the first count, and after a tenant has moved here. */
export async function readStorageCount(
  { db }: Pick<Deps, "db">,
  shard: number,
  limitBytes: number,
): Promise<{ count: StorageCount | null } & Moved> {
  const found = await queryFirst<{ count: string | null; isAbove: 0 | 1; elsewhere: number }>(db)`
    SELECT storage_count AS count, EXISTS (SELECT 1 FROM tenant_moves mv JOIN tenants t ON t.id = mv.tenant_id
        WHERE mv.from_shard = ${shard} AND mv.stored_bytes > 0 AND mv.stored_bytes + t.stored_bytes > ${limitBytes})
        AS isAbove,
      coalesce((SELECT max(mv.stored_bytes) FROM tenant_moves mv WHERE mv.from_shard >= 0 AND mv.stored_bytes > 0
        AND mv.to_shard = ${shard}), 0) AS elsewhere
    FROM shards WHERE shard = ${shard}`;
  const count = found?.count ? (JSON.parse(found.count) as StorageCount) : null;
  return { count, isAbove: found?.isAbove === 1, elsewhere: found?.elsewhere ?? 0 };
}

/** Does nothing until the size of the database is noted. */
export async function noteStorageCount({ db }: Pick<Deps, "db">, shard: number, count: StorageCount): Promise<void> {
  await query(db)`UPDATE shards SET storage_count = ${JSON.stringify(count)} WHERE shard = ${shard}`;
}

/** Has all be counted again: a tenant that moves here brings along what it stores. */
export const forgetStorageCount = (shard: number) =>
  sql`UPDATE shards SET storage_count = NULL WHERE shard = ${shard} AND storage_count IS NOT NULL`;

/** An event or a delivery beside its payload: its rows, with the answer of a receiver. */
const BYTES_BESIDE_PAYLOAD = 1_000;
const BYTES_OF_DELIVERY = 2_000;

/** Returns what a page of `limit` events after the id `after`, and from before `until` (Unix ms), takes. */
export async function readIntake(
  db: Db,
  { after, until, limit }: { after: string; until: number; limit: number },
): Promise<{ bytes: number; last: string | null; isLast: boolean }> {
  const found = await queryFirst<{ bytes: number; last: string | null; events: number }>(db)`
    SELECT coalesce(sum(bytes), 0) AS bytes, max(id) AS last, count(*) AS events
    FROM (SELECT id, ${BYTES_BESIDE_PAYLOAD} + coalesce(octet_length(payload), 0)
        + coalesce(octet_length(long_payload), 0) + ${BYTES_OF_DELIVERY} * delivery_count AS bytes
      FROM events WHERE id > ${after} AND id < ${firstIdAt(until)} ORDER BY id LIMIT ${limit})`;
  const { bytes = 0, last = null, events = 0 } = found ?? {};
  return { bytes, last, isLast: events < limit };
}
