/** The subscriptions of a tenant as operators see them: states and errors, without what was sent. */
import { sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { failureCountOf } from "../../webhooks/plane/hours-store";
import { IS_FAILING, ofLastFailure } from "../../webhooks/stats/store";
import { LAST_TRIGGERED_AT } from "../../webhooks/subscriptions/store";

const MAX_SUBSCRIPTIONS = 50;

export interface TenantSubscriptionRow {
  id: string;
  name: string;
  url: string;
  state: "active" | "failing" | "paused" | "disabled";
  failureCount: number;
  error: string | null;
  /** Unix ms. */
  lastTriggeredAt: number | null;
}

/** Reads the subscriptions of a tenant, those that were disabled and that fail first. */
export async function readTenantSubscriptions(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
): Promise<TenantSubscriptionRow[]> {
  return query<TenantSubscriptionRow>(shards.db(shard))`WITH s AS MATERIALIZED (
      SELECT s.id, s.name, s.url, ${LAST_TRIGGERED_AT} AS lastTriggeredAt,
        ${failureCountOf(sql.raw("s.id"))} AS failureCount,
        CASE WHEN s.disabled_reason IS NOT NULL THEN 'disabled' WHEN s.enabled = 0 THEN 'paused'
          WHEN ${IS_FAILING} THEN 'failing' ELSE 'active' END AS state
      FROM subscriptions s WHERE s.tenant_id = ${tenantId} AND s.is_deleted = 0
      ORDER BY state IN ('disabled', 'failing') DESC, failureCount DESC, s.id LIMIT ${MAX_SUBSCRIPTIONS})
    SELECT s.*, CASE WHEN s.failureCount > 0 THEN ${ofLastFailure("error")} END AS error FROM s`;
}
