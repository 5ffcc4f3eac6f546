/** The usage of tenants in D1: their events in the delivery databases, the sums in the control plane. Spans tenants. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, queryFirst, rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";

/** As many months stay as a product may want to compare: two years. */
const KEPT_MONTHS = 25;

export interface CountedEvent {
  id: string;
  tenantId: string;
  type: string;
  deliveries: number;
  /** Of the payload. */
  bytes: number;
}

/** The next events after an id and from before `until` (Unix ms). */
export const readEvents = (
  db: Db,
  { after, until, limit }: { after: string; until: number; limit: number },
): Promise<CountedEvent[]> =>
  query<CountedEvent>(db)`SELECT id, tenant_id AS tenantId, type, delivery_count AS deliveries,
      coalesce(long_bytes, octet_length(payload)) AS bytes
    FROM events WHERE id > ${after} AND id < ${firstIdAt(until)} ORDER BY id LIMIT ${limit}`;

/** The last event of a delivery database that was counted; null: none. */
export async function readCountedTo({ db }: Deps, shard: number): Promise<string | null> {
  const found = await queryFirst<{ id: string | null }>(db)`SELECT counted_to AS id FROM shards WHERE shard = ${shard}`;
  return found?.id ?? null;
}

/** The last event of a delivery database that is counted. */
export interface CountedTo {
  shard: number;
  eventId: string;
}

/** Notes how far a delivery database is counted, after the sums. */
export async function noteCountedTo({ db }: Deps, { shard, eventId }: CountedTo): Promise<void> {
  await query(db)`UPDATE shards SET counted_to = ${eventId} WHERE shard = ${shard}`;
}

/** What some events of a tenant and a month come to. */
export interface Usage {
  tenantId: string;
  month: string;
  events: number;
  deliveries: number;
  bytes: number;
  /** The last event that was counted before, "" for none, and the last of these. */
  after: string;
  last: string;
}

/**
 * The last counted events of tenants and months, by these pairs in JSON; "" for none. Only of tenants that use the
 * database, or have just left it.
 */
export async function readCounted({ db }: Deps, shard: number, pairs: readonly string[]): Promise<Map<string, string>> {
  const found = await query<{ pair: string; id: string }>(db)`SELECT j.value AS pair, coalesce(u.counted_to, '') AS id
    FROM json_each(${`[${pairs.join(",")}]`}) j CROSS JOIN tenants t ON t.id = j.value ->> 0
    LEFT JOIN monthly_usage u ON u.tenant_id = t.id AND u.month = j.value ->> 1
    WHERE ${shard} IN (t.shard, t.former_shard)`;
  return new Map(found.map(({ pair, id }) => [pair, id]));
}

/** Adds to the sums, unless somebody else has since they were read. Removes months that are too old. */
export async function addUsage({ db, now }: Deps, usages: readonly Usage[]): Promise<void> {
  const date = new Date(now());
  const oldest = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - KEPT_MONTHS)).toISOString().slice(0, 7);
  const given = jsonList(usages.map((usage) => [usage.tenantId, usage.month, usage]));
  const listed = sql`json_each(${given}) j CROSS JOIN tenants t ON t.id = j.value ->> 0`;
  await atomically(db, {
    added: sql`INSERT INTO monthly_usage (tenant_id, month, events, deliveries, bytes, counted_to)
      SELECT t.id, j.value ->> 1, j.value ->> '$[2].events', j.value ->> '$[2].deliveries', j.value ->> '$[2].bytes',
        j.value ->> '$[2].last' FROM ${listed}
      LEFT JOIN monthly_usage u ON u.tenant_id = t.id AND u.month = j.value ->> 1
      WHERE coalesce(u.counted_to, '') = j.value ->> '$[2].after'
      ON CONFLICT (tenant_id, month) DO UPDATE SET events = events + excluded.events,
        deliveries = deliveries + excluded.deliveries, bytes = bytes + excluded.bytes,
        counted_to = excluded.counted_to`,
    removed: sql`DELETE FROM monthly_usage WHERE (tenant_id, month) IN (SELECT u.tenant_id, u.month
      FROM ${listed} CROSS JOIN monthly_usage u ON u.tenant_id = t.id AND u.month < ${oldest})`,
  });
}

export interface UsageRow {
  tenantId: string;
  externalId: string | null;
  name: string;
  events: number;
  deliveries: number;
  bytes: number;
  members: number;
}

/** A page of the tenants that the key sees, by id, with their usage in a month, and how far the counting has come. */
export async function listUsage(
  { db }: Deps,
  { tenants }: PlatformKeyPrincipal,
  { month, after, limit }: { month: string; after: string; limit: number },
): Promise<{ found: UsageRow[]; countedTo: (string | null)[] }> {
  const seen = tenants === null ? sql`` : sql`t.id IN (SELECT value FROM json_each(${jsonList(tenants)})) AND`;
  const { found, counted } = await atomically(db, {
    found: rows<UsageRow>(sql`SELECT t.id AS tenantId, t.external_id AS externalId, t.name,
        coalesce(u.events, 0) AS events, coalesce(u.deliveries, 0) AS deliveries, coalesce(u.bytes, 0) AS bytes,
        t.member_count AS members
      FROM tenants t LEFT JOIN monthly_usage u ON u.tenant_id = t.id AND u.month = ${month}
      WHERE ${seen} t.id > ${after} AND t.id <> ${PLATFORM_TENANT} ORDER BY t.id LIMIT ${limit + 1}`),
    counted: rows<{ id: string | null }>(sql`SELECT counted_to AS id FROM shards WHERE shard >= 0`),
  });
  return { found, countedTo: counted.map(({ id }) => id) };
}
