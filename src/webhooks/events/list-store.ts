/**
 * Reading the events of a tenant, newest first. The table has no index by tenant, which would cost a written row per
 * event.
 */
import { sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { ALL_OPERATIONAL } from "../../base/schemas/event-type";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { ID_BEFORE_MS } from "../plane/timing";

/**
 * The most events of all tenants that a page reads. A quiet tenant of a busy database gets short pages instead of slow
 * ones.
 */
const EXAMINED_EVENTS = 10_000;

/** One event without its payload. */
export interface EventRow {
  id: string;
  type: string;
  correlationId: string | null;
  orderKey: string | null;
  sequence: number | null;
  deliveryCount: number;
  /** How many subscriptions did not receive it because of their filters. */
  filtered: number;
  /** Whether it is a test, sent to one subscription alone. */
  isTest: 0 | 1;
  /** Unix ms. */
  createdAt: number;
}

/** Which events to read, newest first; all conditions must hold. */
export interface EventFilter {
  limit: number;
  /** Reads events that are older than the one with this id. */
  cursor?: string | undefined;
  type?: string | undefined;
  correlationId?: string | undefined;
  /** Only the event that has this id, or whose delivery or attempt has it. */
  id?: string | undefined;
  /** Leaves out operational events. */
  onlyPublished?: boolean | undefined;
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
  { limit, cursor, type, correlationId, id, onlyPublished, since }: EventFilter,
): Promise<{ rows: EventRow[]; nextCursor: string | null }> {
  const before = cursor === undefined ? sql`true` : sql`id < ${cursor}`;
  const from = id === undefined ? sql`id >= ${firstIdAt(since - ID_BEFORE_MS)}` : sql`id IN (${idsBehind(tenant, id)})`;
  const range = sql`FROM events WHERE ${from} AND ${before} ORDER BY id DESC`;
  const ofType = type === undefined ? sql`true` : sql`type = ${type}`;
  const published = onlyPublished ? sql`type NOT GLOB ${ALL_OPERATIONAL}` : sql`true`;
  const correlated = correlationId === undefined ? sql`true` : sql`correlation_id = ${correlationId}`;
  // The end of the window is only looked for when the window did not fill the page.
  // One scan that numbers its rows reads three times the window instead, for every page.
  const found = await query<FoundRow>(deps.shards.db(tenant.shard))`WITH page AS MATERIALIZED (
      SELECT id FROM (SELECT id, tenant_id, type, correlation_id ${range} LIMIT ${EXAMINED_EVENTS})
      WHERE tenant_id = ${tenant.tenantId} AND ${ofType} AND ${correlated} AND ${published}
      ORDER BY id DESC LIMIT ${limit + 1}),
    examined AS (SELECT CASE WHEN (SELECT count(*) FROM page) <= ${limit}
      THEN (SELECT id ${range} LIMIT 1 OFFSET ${EXAMINED_EVENTS - 1}) END AS last)
    SELECT examined.last AS lastExamined, e.id, e.type, e.correlation_id AS correlationId, e.order_key AS orderKey,
      e.order_sequence AS sequence,
      e.delivery_count AS deliveryCount, coalesce(json_array_length(e.filtered), 0) AS filtered,
      e.test_of IS NOT NULL AS isTest, e.created_at AS createdAt
    FROM examined LEFT JOIN page ON true LEFT JOIN events e ON e.id = page.id AND e.created_at >= ${since}
    ORDER BY e.id DESC`;
  const present = found.filter(({ id }) => id !== null);
  const shown = present.slice(0, limit).map(({ lastExamined: _, ...event }) => event);
  const last = present.length > limit ? shown.at(-1)?.id : found[0]?.lastExamined;
  return { rows: shown, nextCursor: last ?? null };
}

/**
 * The ids of the events that an id can mean. Replays and manual retries give deliveries ids of their own, which their
 * first attempts have. The id of any other delivery begins like that of its event.
 */
const idsBehind = ({ tenantId }: TenantRef, id: string) => sql`SELECT ${id}
  UNION SELECT e.id FROM events e WHERE e.id > ${`${id.slice(0, 23)}-`} AND e.id < ${`${id.slice(0, 23)}.`}
  UNION SELECT a.event_id FROM subscriptions s CROSS JOIN attempts a ON a.subscription_id = s.id AND a.id = ${id}
    WHERE s.tenant_id = ${tenantId}`;

/** `id` is null where no event was found: in the only row of an empty page, and for one that is too old. */
type FoundRow = EventRow & { lastExamined: string | null };
