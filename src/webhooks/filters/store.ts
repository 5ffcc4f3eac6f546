/** Reading the filter of one subscription. */
import { sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { hasUrl } from "../plane/live-store";
import { listsType } from "../plane/patterns-store";

/**
 * Returns the filter as JSON, null without one, and whether the subscription lists the type; undefined without a
 * subscription.
 */
export async function findFilter(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  type: string,
): Promise<{ filter: string | null; isSubscribed: boolean } | undefined> {
  const row = await queryFirst<{ filter: string | null; isSubscribed: 0 | 1 }>(deps.shards.db(tenant.shard))`
    SELECT s.filter, ${listsType(sql`s.events`, sql`${type}`, sql`s.tenant_id`)} AS isSubscribed
    FROM subscriptions s WHERE ${hasUrl(tenant, subscriptionId)}`;
  return row && { filter: row.filter, isSubscribed: row.isSubscribed === 1 };
}
