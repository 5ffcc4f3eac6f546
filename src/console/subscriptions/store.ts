/** The queries of the subscription pages, each in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { type LogFilter, logPageOf, logPageSql } from "../../attempts/store";
import { atomically } from "../../db/client";
import type { Deps } from "../../deps";
import { type HourRow, hoursSql } from "../../stats/store";
import type { LogRow } from "./log";

export const LIST_ROWS = 50;

/** A subscription without its secret. */
interface PlainSubscription {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  failureCount: number;
  lastTriggeredAt: number | null;
}

/** As D1 returns it. */
type Stored<T extends PlainSubscription> = Omit<T, "enabled" | "events"> & { enabled: 0 | 1; events: string };

type Counts = Pick<HourRow, "hour" | "succeeded" | "failed">;

export interface ListPage {
  rows: PlainSubscription[];
  hours: (Counts & { subscriptionId: string })[];
  isLast: boolean;
}

/** A page of at most `LIST_ROWS` subscriptions, newest first, whose name or URL contains `search`, starting at offset `from`; with their hours since `sinceMs`. */
export async function readSubscriptionList(
  { db }: Deps,
  tenantId: string,
  { search, from, sinceMs }: { search: string; from: number; sinceMs: number },
): Promise<ListPage> {
  const wanted = search.toLowerCase();
  const page = (columns: SQL, limit: number) => sql`SELECT ${columns} FROM subscriptions
    WHERE tenant_id = ${tenantId} AND is_deleted = 0
      AND (instr(lower(name), ${wanted}) > 0 OR instr(lower(url), ${wanted}) > 0)
    ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${from}`;
  const columns = sql`id, name, url, enabled, failure_count AS failureCount, last_triggered_at AS lastTriggeredAt`;
  const [rows, hours] = await atomically(db, [
    page(columns, LIST_ROWS + 1),
    sql`SELECT subscription_id AS subscriptionId, hour, succeeded, failed FROM hourly_stats
      WHERE tenant_id = ${tenantId} AND subscription_id IN (${page(sql`id`, LIST_ROWS)}) AND hour >= ${sinceMs}`,
  ]);
  const found = (rows as Stored<PlainSubscription>[]).map((row) => ({
    ...row,
    enabled: row.enabled === 1,
  }));
  const isLast = found.length <= LIST_ROWS;
  return { rows: found.slice(0, LIST_ROWS), hours: hours as ListPage["hours"], isLast };
}

export interface Screen {
  subscription: PlainSubscription & { events: string[]; secretSealed: string; createdAt: number; pending: number };
  hours: Counts[];
  log: LogPage;
}

export interface LogPage {
  rows: LogRow[];
  nextCursor: string | null;
}

/** Without payloads and responses, which would make a page large. */
const LOG_COLUMNS = sql.raw(`a.id AS id, a.event_type AS eventType, a.status AS status, a.response_code AS responseCode,
  a.error AS error, a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt, a.completed_at AS completedAt`);

const logSql = (tenantId: string, id: string, filter: LogFilter) => logPageSql(tenantId, id, filter, LOG_COLUMNS);

const subscriptionSql = (tenantId: string, id: string) => sql`
  SELECT id, name, url, events, enabled, secret_sealed AS secretSealed, failure_count AS failureCount, created_at AS createdAt,
    last_triggered_at AS lastTriggeredAt, pending_attempts AS pending
  FROM subscriptions WHERE id = ${id} AND tenant_id = ${tenantId} AND is_deleted = 0`;

/** A subscription, its hours since `sinceMs` and a page of its log; undefined when the tenant has no such subscription. */
export async function readSubscriptionScreen(
  { db }: Deps,
  tenantId: string,
  id: string,
  filter: LogFilter,
  sinceMs: number,
): Promise<Screen | undefined> {
  const [found, hours, log, examined] = await atomically(db, [
    subscriptionSql(tenantId, id),
    hoursSql(tenantId, id, sinceMs),
    ...logSql(tenantId, id, filter),
  ]);
  const [row] = found as Stored<Screen["subscription"]>[];
  if (!row) return undefined;
  const events = JSON.parse(row.events) as string[];
  const subscription = { ...row, events, enabled: row.enabled === 1 };
  return { subscription, hours: hours as HourRow[], log: logPageOf(log as LogRow[], examined ?? [], filter.limit) };
}

/** A page of the log; undefined when the tenant has no such subscription. */
export async function readLog(
  { db }: Deps,
  tenantId: string,
  id: string,
  filter: LogFilter,
): Promise<LogPage | undefined> {
  const [found, log, examined] = await atomically(db, [subscriptionSql(tenantId, id), ...logSql(tenantId, id, filter)]);
  return found?.length === 1 ? logPageOf(log as LogRow[], examined ?? [], filter.limit) : undefined;
}
