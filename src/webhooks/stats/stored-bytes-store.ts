/** How many bytes the events of each tenant take, counted across the tenants of one delivery database. */
import { sql } from "drizzle-orm";
import { type Db, query } from "../../base/db/client";

/** What an event takes besides its payload, and what each of its deliveries takes in the log. */
const EVENT_BYTES = 160;
const DELIVERY_BYTES = 200;

/**
 * Counts a page of `limit` events after the id `after`. Returns the bytes of each tenant, and the last id of the page;
 * null at the end. The size of a payload is in the head of its row, so payloads are not read.
 */
export async function countEventBytes(
  db: Db,
  after: string,
  limit: number,
): Promise<{ tenants: { id: string; bytes: number }[]; next: string | null }> {
  const page = sql`SELECT id, tenant_id, octet_length(payload) + coalesce(octet_length(long_payload), 0)
    + ${EVENT_BYTES} + ${DELIVERY_BYTES} * delivery_count
    AS bytes FROM events WHERE id > ${after} ORDER BY id LIMIT ${limit}`;
  const found = await query<{ id: string; bytes: number; last: string }>(db)`SELECT tenant_id AS id, sum(bytes)
    AS bytes, max(id) AS last FROM (${page}) GROUP BY tenant_id`;
  const next =
    found
      .map(({ last }) => last)
      .sort()
      .at(-1) ?? null;
  return { tenants: found.map(({ id, bytes }) => ({ id, bytes })), next };
}
