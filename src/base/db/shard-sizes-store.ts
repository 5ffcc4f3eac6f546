/** The sizes of the delivery databases, and which one a new tenant gets. */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../time";
import { type Db, jsonList, query } from "./client";
import type { Shards } from "./shards";

/** The largest size of a D1 database. */
export const MAX_SHARD_BYTES = 10_000_000_000;
/** A database that is fuller than this gets no new tenants. */
export const CLOSED_AT = 0.85;

/** Added to the attempts of an hour, so that a database without any does not get every new tenant. */
const IDLE_ATTEMPTS = 1_000;

/**
 * Returns the number of the database for a new tenant, as SQL: a random one of those that are open, the rather the
 * fewer attempts it had in the last full hour. Number 0, which has the control plane too, only when all others are
 * closed.
 */
export const shardForNewTenant = (shards: Shards): SQL => sql`coalesce((
  SELECT n.value FROM json_each(${jsonList(shards.numbers)}) n LEFT JOIN shards ON shards.shard = n.value
  WHERE coalesce(shards.bytes, 0) < ${MAX_SHARD_BYTES * CLOSED_AT}
  ORDER BY n.value = 0, (${IDLE_ATTEMPTS} + coalesce(shards.totals ->> '$.succeeded' + shards.totals ->> '$.failed', 0))
    * (abs(random() % 1000000) + 1) LIMIT 1), 0)`;

/** Returns the size of a database in bytes, as D1 reports it. */
export async function readSize(db: Db): Promise<number> {
  const { meta } = await db.$client.prepare("SELECT 1").all();
  return (meta as { size_after?: number }).size_after ?? 0;
}

/** How long a version that reads compressed payloads has run before the first one is written. */
const COMPRESSES_AFTER_MS = DAY_MS;

/** Stores the size of a database, and the first time from when payloads may be compressed. */
export async function noteSize(db: Db, shard: number, bytes: number, nowMs: number): Promise<void> {
  await query(db)`INSERT INTO shards (shard, bytes, noted_at, compresses_from)
    VALUES (${shard}, ${bytes}, ${nowMs}, ${nowMs + COMPRESSES_AFTER_MS})
    ON CONFLICT (shard) DO UPDATE SET bytes = excluded.bytes, noted_at = excluded.noted_at,
      compresses_from = coalesce(compresses_from, excluded.compresses_from)`;
}
