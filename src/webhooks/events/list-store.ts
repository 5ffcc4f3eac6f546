/**
 * Reading the events of a tenant, newest first. The table has no index by tenant, which would cost a written row per
 * event.
 */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import { firstIdAt } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import type { TenantRef } from "../../platform/schemas/tenant-ref";

/**
 * The most events of all tenants that a page reads. A quiet tenant of a busy database gets short pages instead of slow
 * ones.
 */
const EXAMINED_EVENTS = 10_000;
/** An event's id is made before it is stored, and the clocks of isolates differ. */
const ID_BEFORE_MS = 5_000;

/** One event without its payload. */
export interface EventRow {
  id: string;
  type: string;
  correlationId: string | null;
  deliveryCount: number;
  /** Unix ms. */
  createdAt: number;
}

/** Which events to read. */
export interface EventFilter {
  limit: number;
  /** Reads events that are older than the one with this id. */
  cursor?: string | undefined;
  type?: string | undefined;
  /** Unix ms. */
  since: number;
}

/**
 * Returns one page of the tenant's events. It may be short or empty although more pages follow. `nextCursor` is null on
 * the last page.
 */
export async function readEventPage(
  deps: Deps,
  tenant: TenantRef,
  { limit, cursor, type, since }: EventFilter,
): Promise<{ rows: EventRow[]; nextCursor: string | null }> {
  const before = cursor === undefined ? sql`true` : sql`id < ${cursor}`;
  const range = sql`FROM events WHERE id >= ${firstIdAt(since - ID_BEFORE_MS)} AND ${before} ORDER BY id DESC`;
  const ofType = type === undefined ? sql`true` : sql`type = ${type}`;
  // The end of the window is only looked for when the window did not fill the page.
  const { found } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<FoundRow>(sql`WITH page AS MATERIALIZED (
        SELECT id FROM (SELECT id, tenant_id, type ${range} LIMIT ${EXAMINED_EVENTS})
        WHERE tenant_id = ${tenant.tenantId} AND ${ofType} ORDER BY id DESC LIMIT ${limit + 1}),
      examined AS (SELECT CASE WHEN (SELECT count(*) FROM page) <= ${limit}
        THEN (SELECT id ${range} LIMIT 1 OFFSET ${EXAMINED_EVENTS - 1}) END AS last)
      SELECT examined.last AS lastExamined, e.id, e.type, e.correlation_id AS correlationId,
        e.delivery_count AS deliveryCount, e.created_at AS createdAt
      FROM examined LEFT JOIN page ON true LEFT JOIN events e ON e.id = page.id AND e.created_at >= ${since}
      ORDER BY e.id DESC`),
  });
  const present = found.filter(({ id }) => id !== null);
  const shown = present.slice(0, limit).map(({ lastExamined: _, ...event }) => event);
  const last = present.length > limit ? shown.at(-1)?.id : found[0]?.lastExamined;
  return { rows: shown, nextCursor: last ?? null };
}

/** `id` is null where no event was found: in the only row of an empty page, and for one that is too old. */
type FoundRow = EventRow & { lastExamined: string | null };
