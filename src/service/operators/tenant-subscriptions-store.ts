/** The subscriptions of a tenant as operators see them: states and errors, without what was sent. */
import { sql } from "drizzle-orm";
import { jsonList, query, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { failureCountOf } from "../../webhooks/plane/hours-store";
import { listsType } from "../../webhooks/plane/patterns-store";
import { IS_FAILING, ofLastFailure } from "../../webhooks/stats/store";
import { LAST_TRIGGERED_AT } from "../../webhooks/subscriptions/store";

const MAX_SUBSCRIPTIONS = 50;

/** How many events of a type a tenant has published. */
export interface PublishedType {
  type: string;
  count: number;
}

export interface TenantSubscriptionRow {
  id: string;
  name: string;
  url: string;
  state: "active" | "failing" | "paused" | "disabled";
  failureCount: number;
  /** The types that it lists, a JSON list. */
  events: string;
  error: string | null;
  /** Unix ms. */
  lastTriggeredAt: number | null;
}

/** Selects the subscriptions of a tenant, those that were disabled and that fail first. */
export const subscriptionsOf = (tenantId: string): Rows<TenantSubscriptionRow> =>
  rows(sql`WITH s AS MATERIALIZED (
      SELECT s.id, s.name, s.url, s.events, ${LAST_TRIGGERED_AT} AS lastTriggeredAt,
        ${failureCountOf(sql.raw("s.id"))} AS failureCount,
        CASE WHEN s.disabled_reason IS NOT NULL THEN 'disabled' WHEN s.enabled = 0 THEN 'paused'
          WHEN ${IS_FAILING} THEN 'failing' ELSE 'active' END AS state
      FROM subscriptions s WHERE s.tenant_id = ${tenantId} AND s.is_deleted = 0
      ORDER BY state IN ('disabled', 'failing') DESC, failureCount DESC, s.id LIMIT ${MAX_SUBSCRIPTIONS})
    SELECT s.*, CASE WHEN s.failureCount > 0 THEN ${ofLastFailure("error")} END AS error FROM s`);

/** Returns how many of the published events each of the lists of types has, in their order. */
export async function countMatching(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  lists: readonly string[],
  published: readonly PublishedType[],
): Promise<number[]> {
  if (lists.length === 0 || published.length === 0) return lists.map(() => 0);
  const isListed = listsType(sql`s.value`, sql`(j.value ->> 'type')`, sql`${tenantId}`);
  const found = await query<{ matching: number }>(shards.db(shard))`SELECT (SELECT coalesce(sum(j.value ->> 'count'), 0)
      FROM json_each(${jsonList(published)}) j WHERE ${isListed}) AS matching
    FROM json_each(${jsonList(lists)}) s ORDER BY s.key`;
  return found.map(({ matching }) => matching);
}
