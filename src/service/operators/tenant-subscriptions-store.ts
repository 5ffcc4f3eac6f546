/** The subscriptions of a tenant as operators see them: states and errors, without what was sent. */
import { sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { failureCountOf } from "../../webhooks/plane/hours-store";
import { listsType } from "../../webhooks/plane/patterns-store";
import { IS_FAILING, ofLastFailure } from "../../webhooks/stats/store";
import { LAST_TRIGGERED_AT } from "../../webhooks/subscriptions/store";
import type { PublishedType } from "./published-store";

const MAX_SUBSCRIPTIONS = 50;

export interface TenantSubscriptionRow {
  id: string;
  name: string;
  url: string;
  state: "active" | "failing" | "paused" | "disabled";
  failureCount: number;
  /** The types that it lists, a JSON list. */
  events: string;
  /** How many events of the tenant it lists, among those of `readPublished`. */
  matching: number;
  error: string | null;
  /** Unix ms. */
  lastTriggeredAt: number | null;
}

/**
 * Reads the subscriptions of a tenant, those that were disabled and that fail first. `published` is what it has
 * published lately.
 */
export async function readTenantSubscriptions(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  published: readonly PublishedType[],
): Promise<TenantSubscriptionRow[]> {
  const counts = sql`json_each(${jsonList(published)}) j`;
  const matching = sql`(SELECT coalesce(sum(j.value ->> 'count'), 0) FROM ${counts}
    WHERE ${listsType(sql`s.events`, sql`(j.value ->> 'type')`, sql`${tenantId}`)})`;
  return query<TenantSubscriptionRow>(shards.db(shard))`WITH s AS MATERIALIZED (
      SELECT s.id, s.name, s.url, s.events, ${LAST_TRIGGERED_AT} AS lastTriggeredAt,
        ${failureCountOf(sql.raw("s.id"))} AS failureCount,
        CASE WHEN s.disabled_reason IS NOT NULL THEN 'disabled' WHEN s.enabled = 0 THEN 'paused'
          WHEN ${IS_FAILING} THEN 'failing' ELSE 'active' END AS state
      FROM subscriptions s WHERE s.tenant_id = ${tenantId} AND s.is_deleted = 0
      ORDER BY state IN ('disabled', 'failing') DESC, failureCount DESC, s.id LIMIT ${MAX_SUBSCRIPTIONS})
    SELECT s.*, ${matching} AS matching, CASE WHEN s.failureCount > 0 THEN ${ofLastFailure("error")} END AS error
    FROM s`;
}
