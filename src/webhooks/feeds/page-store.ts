/** Reading a page of a feed: its entries, and then the events that they name. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { entriesAfter, headOf } from "../events/entries-store";
import { PAYLOAD_BYTES_OF_E, PAYLOAD_OF_E } from "../plane/payload-store";

/** How many entries one read examines. Those that the feed does not list make a page short. */
export const EXAMINED_ENTRIES = 10_000;
export const MAX_PAGE_BYTES = 1024 * 1024;

export interface FeedRef {
  tenant: TenantRef;
  feedId: string;
}

/** Where a read begins: after a position, at the oldest entry, or where a consumer has come. */
export type Start = { position: number } | { from: "oldest" | "now" } | { consumer: string };

/** A feed, and the places in it that a read begins with. */
interface FeedState {
  /** The greatest position of the tenant. */
  head: number;
  /** Retention has removed entries of the feed up to here. */
  trimmedTo: number;
  /** Null for a consumer that does not exist yet. */
  after: number | null;
}

interface Examined {
  /** How many entries were examined, and the last of them; null if there were none. */
  examined: number;
  last: number | null;
}

/** Entries of a feed. */
export interface EntryPage {
  state: FeedState;
  /** The entries that `maxAgeMs` skips; `isListed`: whether the feed lists one of them. */
  skipped: Examined & { isListed: boolean };
  wanted: { position: number; eventId: string }[];
  reach: Examined;
}

const startOf = ({ tenant: { tenantId }, feedId }: FeedRef, start: Start): SQL => {
  if ("position" in start) return sql`${start.position}`;
  if ("consumer" in start) {
    return sql`(SELECT c.position FROM feed_consumers c WHERE c.tenant_id = ${tenantId} AND c.feed_id = ${feedId}
      AND c.name = ${start.consumer})`;
  }
  return start.from === "now"
    ? headOf(sql`${tenantId}`)
    : sql`(SELECT f.trimmed_to FROM feeds f
    WHERE f.tenant_id = ${tenantId} AND f.id = ${feedId})`;
};

/**
 * Reads up to `limit` + 1 entries of a feed that are not before the position `floor`, in one state of the database.
 * Returns undefined when the tenant has no such feed. Runs in the primary, like all of our reads.
 */
export async function findEntries(
  { shards }: Deps,
  feed: FeedRef,
  start: Start,
  { floor, limit }: { floor: number; limit: number },
): Promise<EntryPage | undefined> {
  const { tenantId, shard } = feed.tenant;
  const ids = { tenantId, feedId: feed.feedId };
  const after = startOf(feed, start);
  const examinedIn = (range: SQL) => entriesAfter(ids, range, EXAMINED_ENTRIES);
  const { state, skipped, found } = await atomically(shards.db(shard), {
    state: rows<FeedState>(sql`SELECT ${headOf(sql`${tenantId}`)} AS head, f.trimmed_to AS trimmedTo, ${after} AS after
      FROM feeds f WHERE f.tenant_id = ${tenantId} AND f.id = ${feed.feedId}`),
    skipped: rows<Examined & { isListed: 0 | 1 | null }>(sql`SELECT count(*) AS examined, max(position) AS last,
      max(listed) AS isListed FROM (${examinedIn(sql`x.position > ${after} AND x.position < ${floor}`)})`),
    found: rows<Examined & { position: number | null; eventId: string }>(sql`WITH examined AS MATERIALIZED (
        ${examinedIn(sql`x.position > max(${after}, ${floor - 1})`)}),
      wanted AS (SELECT position, event_id FROM examined WHERE listed ORDER BY position LIMIT ${limit + 1})
      SELECT r.examined, r.last, wanted.position, wanted.event_id AS eventId
      FROM (SELECT count(*) AS examined, max(position) AS last FROM examined) r LEFT JOIN wanted ON true
      ORDER BY wanted.position`),
  });
  const [feedState, none, first] = [state[0], skipped[0], found[0]];
  if (!feedState || !none || !first) return undefined;
  return {
    state: feedState,
    skipped: { examined: none.examined, last: none.last, isListed: none.isListed === 1 },
    wanted: found.flatMap(({ position, eventId }) => (position === null ? [] : [{ position, eventId }])),
    reach: { examined: first.examined, last: first.last },
  };
}

/** An event of a page. `event` is null for one that did not fit into the page any more. */
export interface SizedEvent {
  id: string;
  bytes: number;
  event: {
    type: string;
    createdAt: number;
    correlationId: string | null;
    orderKey: string | null;
    sequence: number | null;
    /** To be read by `fromStored`. */
    payload: string;
  } | null;
}

/** Reads the events with these ids, in their order, up to `MAX_PAGE_BYTES` but at least one. Omits missing ones. */
export async function readEvents(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  ids: readonly string[],
): Promise<SizedEvent[]> {
  if (ids.length === 0) return [];
  type Row = { id: string; bytes: number; type: string | null } & Omit<NonNullable<SizedEvent["event"]>, "type">;
  const found = await query<Row>(shards.db(shard))`WITH sized AS MATERIALIZED (SELECT j.key AS place, e.id,
    ${PAYLOAD_BYTES_OF_E} AS bytes, sum(${PAYLOAD_BYTES_OF_E}) OVER (ORDER BY j.key) AS total
      FROM json_each(${jsonList(ids)}) j CROSS JOIN events e ON e.id = j.value AND e.tenant_id = ${tenantId})
    SELECT sized.id, sized.bytes, e.type, e.created_at AS createdAt, e.correlation_id AS correlationId,
      e.order_key AS orderKey, e.order_sequence AS sequence, ${PAYLOAD_OF_E} AS payload
    FROM sized LEFT JOIN events e ON e.id = sized.id
      AND (sized.total <= ${MAX_PAGE_BYTES} OR sized.total = sized.bytes)
    ORDER BY sized.place`;
  return found.map(({ id, bytes, type, ...event }) => ({
    id,
    bytes,
    event: type === null ? null : { type, ...event },
  }));
}
