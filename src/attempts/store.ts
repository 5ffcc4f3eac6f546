/**
 * Reading the delivery log. Its key (subscription, id) is nearly in the order of time: an attempt starts at most `OUT_OF_ORDER_MS` after
 * the moment in its id, because a claim that comes later gives the attempt a new id. So the exact order, by `attemptedAt`, is found
 * within a narrow range of the key.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Rows, rows } from "../db/client";
import { firstIdAt, timeOfId } from "../db/ids";
import { isLive } from "../db/predicates";
import { LATE_AFTER_MS, START_WITHIN_MS } from "../delivery/timing";
import type { Deps } from "../deps";
import type { TenantRef } from "../tenants/principal";
import { HOUR_MS } from "../time";

/** Rows that a filtered page looks at: a rare event type among a million rows costs short pages, not a slow one. */
const EXAMINED_ROWS = 10_000;
/** A page ends before its payloads and answers pass this size: an isolate has 128 MB. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** Ids may run a little ahead of another isolate's clock. */
const ID_AHEAD_MS = 3_000;
const OUT_OF_ORDER_MS = LATE_AFTER_MS + START_WITHIN_MS + ID_AHEAD_MS;
const MAX_CHAIN_ROWS = 60;

export interface AttemptRow {
  id: string;
  webhookId: string;
  deliveryId: string;
  eventType: string;
  /** Null when retention has removed the event. */
  payload: string | null;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: number;
  completedAt: number | null;
}

const SUMMARY_COLUMNS = sql.raw(`a.id AS id, a.status AS status, a.response_code AS responseCode, a.error AS error,
  a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt, a.completed_at AS completedAt`);
const COLUMNS = sql`${SUMMARY_COLUMNS}, a.subscription_id AS webhookId, coalesce(a.delivery_id, a.id) AS deliveryId,
  a.event_type AS eventType, e.payload AS payload, a.response_body AS responseBody`;
const BYTES = sql`coalesce(octet_length(e.payload), 0) + coalesce(octet_length(a.response_body), 0)`;

/** A page's columns: with payloads and answers, whose size then bounds the page, or without. */
export interface PageColumns {
  columns: SQL;
  bytes: SQL;
}
const WITH_BODIES: PageColumns = { columns: COLUMNS, bytes: BYTES };
export const WITHOUT_BODIES: PageColumns = {
  columns: sql`${SUMMARY_COLUMNS}, a.event_type AS eventType`,
  bytes: sql`0`,
};

/** Which rows of a log; times are Unix ms, `until` is not included. */
export interface LogFilter {
  limit: number;
  /** Only rows after this attempt in the order of the log, or after the moment in this id. */
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

/** `firstIdAt` in SQL. */
const firstIdAtSql = (timeMs: SQL) =>
  sql`(substr(printf('%012x', ${timeMs}), 1, 8) || '-' || substr(printf('%012x', ${timeMs}), 9))`;

/** What each row of a page brings along: how far the key was looked through. */
interface PageRow {
  /** Null in the only row of an empty page. */
  id: string | null;
  bytesSoFar: number;
  /** Everything that started after this moment (Unix ms) has been looked at; null: everything has. */
  reached: number | null;
}

/** The statement that reads a page, for `logPageOf`. */
export function logPageSql<Row extends object>(
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
  { columns, bytes }: PageColumns,
): Rows<Row & PageRow> {
  const { limit, cursor, status, eventType, since, until } = filter;
  const cursorRow = (column: "attempted_at" | "id") => sql`(SELECT c.${sql.raw(column)} FROM attempts c
    WHERE c.subscription_id = ${subscriptionId} AND c.id = ${cursor})`;
  const cursorTime =
    cursor === undefined ? undefined : sql`coalesce(${cursorRow("attempted_at")}, ${timeOfId(cursor)})`;
  const lastFailedHour = sql`coalesce((SELECT max(h.hour) FROM hourly_stats h WHERE h.subscription_id = ${subscriptionId} AND h.failed > 0
    AND h.hour < ${cursorTime ?? sql`9e15`} + ${HOUR_MS}), 0)`;
  const range = and(
    sql`a.subscription_id = ${subscriptionId}`,
    sql`EXISTS (SELECT 1 FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)})`,
    cursorTime && sql`a.id < ${firstIdAtSql(sql`${cursorTime} + ${ID_AHEAD_MS}`)}`,
    since !== undefined && sql`a.id >= ${firstIdAt(since - OUT_OF_ORDER_MS)}`,
    until !== undefined && sql`a.id < ${firstIdAt(until + ID_AHEAD_MS)}`,
    // Later hours have no failure. An attempt is counted in the hour of its end, never before the hour of its start.
    status === "failed" && sql`a.id < ${firstIdAtSql(sql`${lastFailedHour} + ${HOUR_MS + ID_AHEAD_MS}`)}`,
  );
  const wantedOf = (a: SQL) =>
    and(
      sql`${a}.status <> 'moved'`,
      cursorTime && sql`(${a}.attempted_at, ${a}.id) < (${cursorTime}, coalesce(${cursorRow("id")}, ''))`,
      status !== undefined && sql`${a}.status = ${status}`,
      eventType !== undefined && sql`${a}.event_type = ${eventType}`,
      since !== undefined && sql`${a}.attempted_at >= ${since}`,
      until !== undefined && sql`${a}.attempted_at < ${until}`,
    );
  const wanted = wantedOf(sql.raw("a"));
  return rows(sql`WITH examined AS MATERIALIZED (
      SELECT a.id, a.status, a.event_type, a.attempted_at FROM attempts a WHERE ${range} ORDER BY a.id DESC LIMIT ${examinedRows(filter)}),
    newest AS (SELECT id, attempted_at FROM examined WHERE ${wantedOf(sql.raw("examined"))} ORDER BY id DESC LIMIT ${limit + 1}),
    -- What was not examined started before the last examined id's moment, or a little after it.
    oldest AS (SELECT attempted_at + ${OUT_OF_ORDER_MS} AS safe, attempted_at AS near FROM examined ORDER BY id LIMIT 1),
    reach AS (SELECT CASE WHEN (SELECT count(*) FROM newest) > ${limit} OR (SELECT count(*) FROM examined) < ${examinedRows(filter)} THEN NULL
      ELSE (SELECT iif(safe < ${cursorTime ?? sql`9e15`}, safe, near) FROM oldest) END AS reached),
    page AS (SELECT a.id FROM attempts a WHERE ${range} AND ${wanted}
        AND a.id >= CASE WHEN (SELECT count(*) FROM newest) > ${limit}
          THEN ${firstIdAtSql(sql`max(0, (SELECT min(attempted_at) FROM newest) - ${OUT_OF_ORDER_MS})`)}
          ELSE coalesce((SELECT min(id) FROM examined), '') END
        AND a.attempted_at > coalesce((SELECT reached FROM reach), -1)
      ORDER BY a.attempted_at DESC, a.id DESC LIMIT ${limit + 1})
    SELECT ${columns}, sum(${bytes}) OVER (ORDER BY a.attempted_at DESC, a.id DESC) AS bytesSoFar, reach.reached AS reached
    FROM reach LEFT JOIN page ON true LEFT JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = page.id
    LEFT JOIN events e ON e.id = a.event_id ORDER BY a.attempted_at DESC, a.id DESC`);
}

/** Without a filter the page itself is enough, with some room for placeholders and rows that the cursor is beyond. */
const examinedRows = ({ limit, status, eventType, since, until }: LogFilter) =>
  [status, eventType, since, until].some((given) => given !== undefined) ? EXAMINED_ROWS : 10 * limit + 500;

/** The page that the statement found, and where the next one begins; null: at the end. */
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

/** A cursor that stands for a moment and for no attempt. */
const momentCursor = (timeMs: number) => `${firstIdAt(timeMs)}-7000-8000-000000000000`;

/** One page of a subscription's log, newest first. A filtered page may be short, even empty, and go on. Undefined when the tenant has no such subscription. */
export async function readLogPage(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
): Promise<{ rows: AttemptRow[]; nextCursor: string | null } | undefined> {
  const { found, page } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`),
    page: logPageSql<AttemptRow>(tenant, subscriptionId, filter, WITH_BODIES),
  });
  return found.length === 1 ? logPageOf(page, filter) : undefined;
}

/** One attempt with what its headers were made of. */
export interface OpenedAttempt extends AttemptRow {
  kind: "event" | "retry" | "test";
  eventId: string;
  correlationId: string | null;
  secretSealed: string;
}

export type ChainRow = Pick<
  AttemptRow,
  "id" | "attemptCount" | "status" | "responseCode" | "error" | "attemptedAt" | "completedAt"
>;

/** The ids of a delivery's attempts, as SQL: the first has the delivery's own id, and each names the next. */
export const attemptChain = (subscriptionId: string, deliveryId: SQL) => sql`WITH RECURSIVE chain(id) AS (
  SELECT ${deliveryId}
  UNION ALL SELECT a.next_id FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = chain.id
    WHERE a.next_id IS NOT NULL LIMIT ${MAX_CHAIN_ROWS})`;

/** One attempt and all attempts of its delivery, oldest first. */
export async function readAttempt(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  attemptId: string,
): Promise<{ attempt: OpenedAttempt; chain: ChainRow[] } | "no subscription" | "no attempt"> {
  const opened = sql`attempts a WHERE a.subscription_id = ${subscriptionId} AND a.id = ${attemptId} AND a.status <> 'moved'`;
  const { found, attempts, chain } = await atomically(deps.shards.db(tenant.shard), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`),
    attempts: rows<OpenedAttempt>(sql`SELECT ${COLUMNS}, a.event_id AS eventId, e.correlation_id AS correlationId,
        s.secret_sealed AS secretSealed, a.kind AS kind
      FROM (SELECT * FROM ${opened}) a LEFT JOIN events e ON e.id = a.event_id CROSS JOIN subscriptions s ON s.id = a.subscription_id
      WHERE ${isLive(tenant, subscriptionId)}`),
    chain:
      rows<ChainRow>(sql`${attemptChain(subscriptionId, sql`(SELECT coalesce(a.delivery_id, a.id) FROM ${opened})`)}
      SELECT ${SUMMARY_COLUMNS} FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = chain.id
      WHERE a.status <> 'moved'`),
  });
  const [attempt] = attempts;
  if (found.length === 0) return "no subscription";
  return attempt ? { attempt, chain } : "no attempt";
}
