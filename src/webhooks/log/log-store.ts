/**
 * Reading the delivery log page by page. Its key (subscription, id) is nearly in the order of time: an attempt starts
 * at most `OUT_OF_ORDER_MS` after the time in its id, because a later claim gives it a new id. A narrow range of the
 * key is therefore enough to find a page in the exact order, by `attemptedAt`.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, type Rows, rows } from "../../base/db/client";
import { firstIdAt, firstIdAtSql, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { HOUR_MS } from "../../base/time";
import { isLive } from "../plane/live-store";
import { PLACEHOLDER } from "../plane/outbox-store";
import { PAYLOAD_BYTES_OF_E } from "../plane/payload-store";
import { ID_AHEAD_MS, OUT_OF_ORDER_MS } from "../plane/timing";
import { type AttemptRow, COLUMNS, SUMMARY_COLUMNS, withTexts } from "./store";

/**
 * The most rows that a filtered page reads. A rare event type among a million rows gives short pages instead of slow
 * ones.
 */
const EXAMINED_ROWS = 10_000;
/** The most bytes of payloads and answers on a page: an isolate has 128 MB. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** The most bytes of a response body. The size of a compressed one is not known. */
const MAX_BODY_BYTES = 16 * 1024;

const BYTES = sql`coalesce(${PAYLOAD_BYTES_OF_E}, 0) + iif(a.long_body IS NULL,
  coalesce(octet_length(a.response_body), 0), ${MAX_BODY_BYTES}) + coalesce(octet_length(a.response_headers), 0)`;

/** The columns of a page, and the bytes of a row that count towards `MAX_PAGE_BYTES`. */
export interface PageColumns {
  columns: SQL;
  bytes: SQL;
}
const WITH_BODIES: PageColumns = { columns: COLUMNS, bytes: BYTES };
export const WITHOUT_BODIES: PageColumns = {
  columns: sql`${SUMMARY_COLUMNS}, a.event_type AS eventType, a.kind AS kind,
    coalesce(a.delivery_id, a.id) AS deliveryId, a.next_id IS NOT NULL AS goesOn`,
  bytes: sql`0`,
};

/** Which rows of a log to read. Times are Unix ms; `until` is exclusive. */
export interface LogFilter {
  limit: number;
  /** Reads rows that follow this attempt in the log. If no attempt has this id, the time in the id counts. */
  cursor?: string | undefined;
  status?: AttemptRow["status"] | undefined;
  eventType?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

const and = (...conditions: (SQL | undefined | false)[]) =>
  sql.join(
    conditions.filter((condition) => condition !== undefined && condition !== false),
    sql` AND `,
  );

/** The columns that every row of a page has besides its own. */
interface PageRow {
  /** Null in the single row of an empty page. */
  id: string | null;
  bytesSoFar: number;
  /** Every attempt that started after this time (Unix ms) was read; null when all were. */
  reached: number | null;
}

/** One column of the attempt that the cursor names, as SQL; NULL if retention has removed it. */
const cursorRow = (subscriptionId: string, cursor: string | undefined, column: "attempted_at" | "id") =>
  sql`(SELECT c.${sql.raw(column)} FROM attempts c WHERE c.subscription_id = ${subscriptionId} AND c.id = ${cursor})`;

/** When the attempt of the cursor started; undefined on the first page. */
const cursorTimeOf = (subscriptionId: string, cursor: string | undefined): SQL | undefined =>
  cursor === undefined
    ? undefined
    : sql`coalesce(${cursorRow(subscriptionId, cursor, "attempted_at")}, ${timeOfId(cursor)})`;

/** The range of ids in which the rows of a page are. */
function rangeOf(tenant: TenantRef, subscriptionId: string, { cursor, status, since, until }: LogFilter): SQL {
  const cursorTime = cursorTimeOf(subscriptionId, cursor);
  const lastFailedHour = sql`coalesce((SELECT max(h.hour) FROM hourly_stats h
    WHERE h.subscription_id = ${subscriptionId} AND h.failed > 0
    AND h.hour < ${cursorTime ?? sql`9e15`} + ${HOUR_MS}), 0)`;
  return and(
    sql`a.subscription_id = ${subscriptionId}`,
    sql`EXISTS (SELECT 1 FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)})`,
    cursorTime && sql`a.id < ${firstIdAtSql(sql`${cursorTime} + ${ID_AHEAD_MS}`)}`,
    since !== undefined && sql`a.id >= ${firstIdAt(since - OUT_OF_ORDER_MS)}`,
    until !== undefined && sql`a.id < ${firstIdAt(until + ID_AHEAD_MS)}`,
    // Skips hours without failures. An attempt counts in the hour in which it ended, which is never before the hour of
    // its start.
    status === "failed" && sql`a.id < ${firstIdAtSql(sql`${lastFailedHour} + ${HOUR_MS + ID_AHEAD_MS}`)}`,
  );
}

/** Whether the row `a` belongs to the page or to a later one. */
function isWanted(a: SQL, subscriptionId: string, { cursor, status, eventType, since, until }: LogFilter): SQL {
  const cursorTime = cursorTimeOf(subscriptionId, cursor);
  const cursorId = sql`coalesce(${cursorRow(subscriptionId, cursor, "id")}, '')`;
  return and(
    sql`${a}.status <> ${PLACEHOLDER}`,
    cursorTime && sql`(${a}.attempted_at, ${a}.id) < (${cursorTime}, ${cursorId})`,
    status !== undefined && sql`${a}.status = ${status}`,
    eventType !== undefined && sql`${a}.event_type = ${eventType}`,
    since !== undefined && sql`${a}.attempted_at >= ${since}`,
    until !== undefined && sql`${a}.attempted_at < ${until}`,
  );
}

/** Returns the statement that reads a page. Its rows go to `logPageOf`. */
export function logPageSql<Row extends object>(
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
  { columns, bytes }: PageColumns,
): Rows<Row & PageRow> {
  const { limit, cursor } = filter;
  const cursorTime = cursorTimeOf(subscriptionId, cursor);
  const range = rangeOf(tenant, subscriptionId, filter);
  const wantedOf = (alias: "a" | "examined") => isWanted(sql.raw(alias), subscriptionId, filter);
  const isPageFull = sql`(SELECT count(*) FROM newest) > ${limit}`;
  // Without a filter, the first rows fill the page, and SQLite reads no more of it if it need not store it.
  const stored = sql.raw(isFiltered(filter) ? "MATERIALIZED" : "NOT MATERIALIZED");
  return rows(sql`WITH examined AS ${stored} (
      SELECT a.id, a.status, a.event_type, a.attempted_at FROM attempts a WHERE ${range} ORDER BY a.id DESC
        LIMIT ${examinedRows(filter)}),
    newest AS MATERIALIZED (SELECT id, attempted_at FROM examined WHERE ${wantedOf("examined")}
      ORDER BY id DESC
      LIMIT ${limit + 1}),
    -- Attempts that were not examined started before the oldest examined one, or a little after it.
    oldest AS (SELECT attempted_at + ${OUT_OF_ORDER_MS} AS safe, attempted_at AS near FROM examined ORDER BY id
      LIMIT 1),
    reach AS (SELECT CASE WHEN ${isPageFull} OR (SELECT count(*) FROM examined) < ${examinedRows(filter)} THEN NULL
      ELSE (SELECT iif(safe < ${cursorTime ?? sql`9e15`}, safe, near) FROM oldest) END AS reached),
    page AS (SELECT a.id FROM attempts a WHERE ${range} AND ${wantedOf("a")}
        AND a.id >= CASE WHEN ${isPageFull}
          THEN ${firstIdAtSql(sql`max(0, (SELECT min(attempted_at) FROM newest) - ${OUT_OF_ORDER_MS})`)}
          ELSE coalesce((SELECT min(id) FROM examined), '') END
        AND a.attempted_at > coalesce((SELECT reached FROM reach), -1)
        -- Spares the sort those rows of the range that are older than the page.
        AND a.attempted_at >= iif(${isPageFull}, (SELECT min(attempted_at) FROM newest), 0)
      ORDER BY a.attempted_at DESC, a.id DESC LIMIT ${limit + 1})
    SELECT ${columns}, sum(${bytes}) OVER (ORDER BY a.attempted_at DESC, a.id DESC) AS bytesSoFar, reach.reached
      AS reached
    FROM reach LEFT JOIN page ON true LEFT JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = page.id
    LEFT JOIN events e ON e.id = a.event_id ORDER BY a.attempted_at DESC, a.id DESC`);
}

const isFiltered = ({ status, eventType, since, until }: LogFilter): boolean =>
  [status, eventType, since, until].some((given) => given !== undefined);

/**
 * Returns how many rows to read. Without a filter, the page and some placeholders and rows before the cursor are
 * enough.
 */
const examinedRows = (filter: LogFilter) => (isFiltered(filter) ? EXAMINED_ROWS : 10 * filter.limit + 500);

/** Returns the page from the rows of `logPageSql`. `nextCursor` is null on the last page. */
export function logPageOf<Row extends { id: string }>(
  found: readonly (Row & PageRow)[],
  { limit }: LogFilter,
): { rows: Row[]; nextCursor: string | null } {
  const reached = found[0]?.reached ?? null;
  const present = found.filter(({ id }) => id !== null);
  const page = present.filter(
    ({ bytesSoFar }, index) => index < limit && (index === 0 || bytesSoFar <= MAX_PAGE_BYTES),
  );
  const rest = reached === null ? null : momentCursor(reached + 1);
  return { rows: page, nextCursor: present.length > page.length ? (page.at(-1)?.id ?? null) : rest };
}

/** Returns a cursor for a time (Unix ms) at which no attempt need exist: its page begins with what started earlier. */
export const momentCursor = (timeMs: number) => `${firstIdAt(timeMs)}-7000-8000-000000000000`;

/**
 * Returns one page of a subscription's log, newest first, or undefined when the tenant has no such subscription. A
 * filtered page may be short or empty although more pages follow.
 */
export async function findLogPage(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
): Promise<{ rows: AttemptRow[]; nextCursor: string | null } | undefined> {
  const { found, page } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`),
    page: logPageSql<AttemptRow>(tenant, subscriptionId, filter, WITH_BODIES),
  });
  if (found.length === 0) return undefined;
  const { rows: attempts, nextCursor } = logPageOf(page, filter);
  return { rows: await Promise.all(attempts.map(withTexts)), nextCursor };
}
