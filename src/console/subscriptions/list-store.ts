/** What the list of subscriptions reads, in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { failureCountOf } from "../../webhooks/plane/hours-store";
import { IS_SHOWN } from "../../webhooks/plane/live-store";
import { isSlow } from "../../webhooks/stats/store";
import { columnsAt, flagsOf, type HourCounts, type PlainSubscription, type Stored } from "./store";

export const LIST_ROWS = 50;

/** The states in which the list can show subscriptions alone. */
export const LISTED_STATES = ["active", "failing", "slow", "paused", "disabled"] as const;
export type ListedState = (typeof LISTED_STATES)[number];

const hasFailed = sql`${failureCountOf(sql.raw("s.id"))} > 0`;

/** Whether the subscription `s` is in a state, as SQL. Each is in one of them. */
const IS_IN_STATE: Readonly<Record<ListedState, (nowMs: number) => SQL>> = {
  active: (nowMs) => sql`s.enabled = 1 AND NOT ${hasFailed} AND NOT ${isSlow(nowMs)}`,
  failing: () => sql`s.enabled = 1 AND ${hasFailed}`,
  slow: (nowMs) => sql`s.enabled = 1 AND NOT ${hasFailed} AND ${isSlow(nowMs)}`,
  paused: () => sql`s.enabled = 0 AND s.disabled_reason IS NULL`,
  disabled: () => sql`s.disabled_reason IS NOT NULL`,
};

interface ListQuery {
  search: string;
  /** Undefined: any. */
  state: ListedState | undefined;
  from: number;
  /** Unix ms. */
  sinceMs: number;
  nowMs: number;
}

export interface ListPage {
  rows: PlainSubscription[];
  hours: (HourCounts & { subscriptionId: string })[];
  isLast: boolean;
}

/**
 * Reads at most `LIST_ROWS` subscriptions after the first `from`, newest first, that are in the state and whose name or
 * URL contains `search`, with their hours since `sinceMs` (Unix ms).
 */
export async function readSubscriptionList(
  deps: Deps,
  { tenantId, shard }: TenantRef,
  { search, state, from, sinceMs, nowMs }: ListQuery,
): Promise<ListPage> {
  const page = (columns: SQL, limit: number) => sql`SELECT ${columns} FROM subscriptions s
    WHERE s.tenant_id = ${tenantId} AND s.is_deleted = 0 AND s.listener_of IS NULL AND ${IS_SHOWN}
      AND (instr(lower(s.name), lower(${search})) > 0 OR instr(lower(s.url), lower(${search})) > 0)
      AND ${state === undefined ? sql`true` : IS_IN_STATE[state](nowMs)}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit} OFFSET ${from}`;
  const { found, hours } = await atomically(deps.shards.db(shard), {
    found: rows<Stored<PlainSubscription>>(page(columnsAt(nowMs), LIST_ROWS + 1)),
    hours: rows<ListPage["hours"][number]>(sql`SELECT h.subscription_id AS subscriptionId, h.hour, h.succeeded, h.failed
      FROM (${page(sql`s.id`, LIST_ROWS)}) p CROSS JOIN hourly_stats h ON h.subscription_id = p.id
        AND h.hour >= ${sinceMs}`),
  });
  const listed = found.map((row) => ({ ...row, ...flagsOf(row) }));
  return { rows: listed.slice(0, LIST_ROWS), hours, isLast: listed.length <= LIST_ROWS };
}
