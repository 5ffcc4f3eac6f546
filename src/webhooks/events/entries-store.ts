/**
 * The entries of feeds: the events that a feed lists, in the order in which their publishes were committed.
 *
 * A publish takes its positions in its own batch, above every position of the tenant. D1 runs the batches of a database
 * one at a time, so positions rise in the order of the commits, whichever isolate writes and however late, and a read
 * that sees a position sees every smaller one that will ever exist. Nothing that commits later sorts before a cursor.
 */
import { type SQL, sql } from "drizzle-orm";
import { covers, wildcardsOf } from "../plane/patterns-store";

/** How many positions a millisecond has. */
const POSITIONS_PER_MS = 1_000;

/** The first position that an entry of this time (Unix ms) can have. */
export const positionAt = (timeMs: number): number => timeMs * POSITIONS_PER_MS;

/** The greatest position that a tenant has had, as SQL; 0 for none. */
export const headOf = (tenantId: SQL): SQL =>
  sql`max(coalesce((SELECT max(h.position) FROM feed_entries h WHERE h.tenant_id = ${tenantId}), 0),
    coalesce((SELECT l.trimmed_to FROM feed_logs l WHERE l.tenant_id = ${tenantId}), 0))`;

/**
 * Inserts an entry for each of the listed events `e` (id, type, position in the list) that a feed lists and `condition`
 * holds for. The time lifts positions past those of a database that was restored from a backup.
 */
export const insertEntries = (
  tenantId: ReturnType<typeof sql.placeholder>,
  nowMs: ReturnType<typeof sql.placeholder>,
  condition: SQL,
): SQL => sql`INSERT INTO feed_entries (tenant_id, position, event_id, type)
  SELECT ${tenantId}, max(${headOf(sql`${tenantId}`)}, CAST(${nowMs} AS INTEGER) * ${sql.raw(String(POSITIONS_PER_MS))}
    - 1) + row_number() OVER (ORDER BY e.position), e.id, e.type
  FROM listed e WHERE ${condition} AND EXISTS (SELECT 1 FROM feed_types f WHERE f.tenant_id = ${tenantId}
    AND f.event_type IN (SELECT e.type UNION ALL SELECT '*' UNION ALL SELECT * FROM (${wildcardsOf(sql`e.type`)})))`;

/** Up to `limit` entries `x` of a tenant after a position, in order, with whether the feed lists them (`listed`). */
export const entriesAfter = (
  { tenantId, feedId }: { tenantId: SQL | string; feedId: SQL | string },
  range: SQL,
  limit: number,
): SQL => sql`SELECT x.position, x.event_id, EXISTS (SELECT 1 FROM feed_types f WHERE f.tenant_id = ${tenantId}
    AND f.feed_id = ${feedId} AND f.from_position <= x.position
    AND (f.event_type = x.type OR ${covers(sql`f.event_type`, sql`x.type`, sql`${tenantId}`)})) AS listed
  FROM feed_entries x WHERE x.tenant_id = ${tenantId} AND ${range} ORDER BY x.position LIMIT ${limit}`;
