/** Reading the delivery log: by its key (subscription, id), whose ids are in the order of time, so that no page reads beyond it. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../db/client";
import { firstIdAt } from "../db/ids";
import type { Deps } from "../deps";

/**
 * Rows of the log that a filter without an index looks at for one page: a rare event type among a million rows costs short
 * pages, not a slow one.
 */
const EXAMINED_ROWS = 10_000;
/** A send starts up to a lease after the making of its attempt's id, and ids may run a little ahead of the clock. */
const ID_BEFORE_START_MS = 25_000;
const ID_AHEAD_MS = 5_000;
const MAX_CHAIN_ROWS = 50;

export interface AttemptRow {
  id: string;
  webhookId: string;
  deliveryId: string;
  eventType: string;
  payload: string;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: number;
  completedAt: number | null;
}

const COLUMNS =
  sql.raw(`a.id AS id, a.subscription_id AS webhookId, a.delivery_id AS deliveryId, a.event_type AS eventType,
  e.payload AS payload, a.status AS status, a.response_code AS responseCode, a.response_body AS responseBody, a.error AS error,
  a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt, a.completed_at AS completedAt`);

/** Which rows of a log; times are Unix ms, `until` is not included. */
export interface LogFilter {
  limit: number;
  /** Only rows older than this attempt. */
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

const liveSql = (tenantId: string, id: string) =>
  sql`SELECT id FROM subscriptions WHERE id = ${id} AND tenant_id = ${tenantId} AND is_deleted = 0`;

/** What a page of the log is read with: its rows, with the columns `of` them, and how far was looked. */
export function logPageSql(
  tenantId: string,
  subscriptionId: string,
  { limit, cursor, status, eventType, since, until }: LogFilter,
  of: SQL,
): [rows: SQL, examined: SQL] {
  const range = and(
    sql`subscription_id = ${subscriptionId}`,
    cursor !== undefined && sql`id < ${cursor}`,
    since !== undefined && sql`id >= ${firstIdAt(since - ID_BEFORE_START_MS)}`,
    until !== undefined && sql`id < ${firstIdAt(until + ID_AHEAD_MS)}`,
    // As it stands, not bound: only so does SQLite see that its index serves.
    status === "failed" && sql`status = 'failed'`,
  );
  const wanted = and(
    sql`true`,
    status !== undefined && sql`status = ${status}`,
    eventType !== undefined && sql`event_type = ${eventType}`,
    since !== undefined && sql`attempted_at >= ${since}`,
    until !== undefined && sql`attempted_at < ${until}`,
  );
  const isFiltered =
    [eventType, since, until].some((given) => given !== undefined) || (status ?? "failed") !== "failed";
  const examinedRows = isFiltered ? EXAMINED_ROWS : limit + 1;
  return [
    sql`SELECT ${of} FROM (
        SELECT id FROM (SELECT id, status, event_type, attempted_at FROM attempts WHERE ${range} ORDER BY id DESC LIMIT ${examinedRows})
        WHERE ${wanted} ORDER BY id DESC LIMIT ${limit + 1}) page
      CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = page.id AND a.tenant_id = ${tenantId}
      JOIN events e ON e.id = a.event_id ORDER BY a.id DESC`,
    sql`SELECT id FROM attempts WHERE ${range} ORDER BY id DESC LIMIT 1 OFFSET ${examinedRows - 1}`,
  ];
}

/** The page that those two statements found, and where the next one begins; null: at the end. */
export function logPageOf<Row extends { id: string }>(
  rows: readonly Row[],
  examined: readonly unknown[],
  limit: number,
) {
  const [last] = examined as { id: string }[];
  const nextCursor = rows.length > limit ? rows[limit - 1]?.id : last?.id;
  return { rows: rows.slice(0, limit), nextCursor: nextCursor ?? null };
}

/**
 * One page of a subscription's log, newest first, and where the next begins (null: at the end). A filtered page may be short,
 * even empty, and go on. Undefined when the tenant has no such subscription.
 */
export async function readLogPage(
  { db }: Deps,
  tenantId: string,
  subscriptionId: string,
  filter: LogFilter,
): Promise<{ rows: AttemptRow[]; nextCursor: string | null } | undefined> {
  const [found, rows, examined] = await atomically(db, [
    liveSql(tenantId, subscriptionId),
    ...logPageSql(tenantId, subscriptionId, filter, COLUMNS),
  ]);
  return found?.length ? logPageOf(rows as AttemptRow[], examined ?? [], filter.limit) : undefined;
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

/** One attempt and the chain of its delivery's attempts, newest first. */
export async function readAttempt(
  { db }: Deps,
  tenantId: string,
  subscriptionId: string,
  attemptId: string,
): Promise<{ attempt: OpenedAttempt; chain: ChainRow[] } | "no subscription" | "no attempt"> {
  const opened = sql`attempts a WHERE a.subscription_id = ${subscriptionId} AND a.id = ${attemptId} AND a.tenant_id = ${tenantId}`;
  const [found, attempts, chain] = await atomically(db, [
    liveSql(tenantId, subscriptionId),
    sql`SELECT ${COLUMNS}, a.event_id AS eventId, e.correlation_id AS correlationId, s.secret_sealed AS secretSealed,
        d.kind AS kind
      FROM (SELECT * FROM ${opened}) a CROSS JOIN events e ON e.id = a.event_id
      CROSS JOIN subscriptions s ON s.id = a.subscription_id CROSS JOIN deliveries d ON d.id = a.delivery_id`,
    sql`WITH RECURSIVE chain(id) AS (
        SELECT d.last_attempt_id FROM (SELECT delivery_id FROM ${opened}) o CROSS JOIN deliveries d ON d.id = o.delivery_id
        UNION ALL
        SELECT a.previous_id FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = chain.id LIMIT ${MAX_CHAIN_ROWS})
      SELECT a.id AS id, a.attempt_count AS attemptCount, a.status AS status, a.response_code AS responseCode, a.error AS error,
        a.attempted_at AS attemptedAt, a.completed_at AS completedAt
      FROM chain CROSS JOIN attempts a ON a.subscription_id = ${subscriptionId} AND a.id = chain.id`,
  ]);
  const [attempt] = attempts as OpenedAttempt[];
  if (!found?.length) return "no subscription";
  return attempt ? { attempt, chain: chain as ChainRow[] } : "no attempt";
}
