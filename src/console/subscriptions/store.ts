/** The queries of the subscription pages, each in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { type LogFilter, logPageOf, logPageSql } from "../../attempts/store";
import { atomically, rows } from "../../db/client";
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

/**
 * At most `LIST_ROWS` subscriptions from offset `from`, newest first, whose name or URL contains `search`, and their hours since
 * `sinceMs`.
 */
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
  const { found, hours } = await atomically(db, {
    found: rows<Stored<PlainSubscription>>(page(columns, LIST_ROWS + 1)),
    hours: rows<ListPage["hours"][number]>(sql`
      SELECT subscription_id AS subscriptionId, hour, succeeded, failed FROM hourly_stats
      WHERE tenant_id = ${tenantId} AND subscription_id IN (${page(sql`id`, LIST_ROWS)}) AND hour >= ${sinceMs}`),
  });
  const listed = found.slice(0, LIST_ROWS).map((row) => ({ ...row, enabled: row.enabled === 1 }));
  return { rows: listed, hours, isLast: found.length <= LIST_ROWS };
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

/** The two statements of a log page, by name. */
function logStatements(tenantId: string, id: string, filter: LogFilter) {
  const [page, examined] = logPageSql(tenantId, id, filter, LOG_COLUMNS);
  return { log: rows<LogRow>(page), examined };
}

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
  const { found, hours, log, examined } = await atomically(db, {
    found: rows<Stored<Screen["subscription"]>>(subscriptionSql(tenantId, id)),
    hours: rows<HourRow>(hoursSql(tenantId, id, sinceMs)),
    ...logStatements(tenantId, id, filter),
  });
  const [row] = found;
  if (!row) return undefined;
  const events = JSON.parse(row.events) as string[];
  const subscription = { ...row, events, enabled: row.enabled === 1 };
  return { subscription, hours, log: logPageOf(log, examined, filter.limit) };
}

/** A page of the log; undefined when the tenant has no such subscription. */
export async function readLog(
  { db }: Deps,
  tenantId: string,
  id: string,
  filter: LogFilter,
): Promise<LogPage | undefined> {
  const { found, log, examined } = await atomically(db, {
    found: subscriptionSql(tenantId, id),
    ...logStatements(tenantId, id, filter),
  });
  return found.length === 1 ? logPageOf(log, examined, filter.limit) : undefined;
}
