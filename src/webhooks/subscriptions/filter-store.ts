/** What the filters of subscriptions depend on, in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { nextRevision, raiseRevision } from "../event-types/revision-store";
import type { FilterObject } from "../filters/filter";

export const MAX_FILTERED = 100;

const countOf = ({ tenantId }: TenantRef): SQL =>
  sql`(SELECT count(*) FROM subscriptions f WHERE f.tenant_id = ${tenantId} AND f.filter IS NOT NULL)`;

/** Whether the tenant may have one more subscription with a filter, as SQL. */
export const hasRoomForFilter = (tenant: TenantRef): SQL => sql`${countOf(tenant)} < ${MAX_FILTERED}`;

/** How many subscriptions of the tenant have a filter. */
export async function countFiltered(deps: Deps, tenant: TenantRef): Promise<number> {
  const found = await queryFirst<{ count: number }>(deps.shards.db(tenant.shard))`SELECT ${countOf(tenant)} AS count`;
  return found?.count ?? 0;
}

/**
 * Tells whoever publishes that filters are about to change. Nobody publishes for the platform but its feed, which reads
 * the filters each time.
 */
export async function raiseForFilters(deps: Deps, tenant: TenantRef): Promise<void> {
  if (tenant.tenantId !== PLATFORM_TENANT) await raiseRevision(deps, tenant);
}

/** The statement that raises the revision in the batch of the change, for each row of `condition` (SQL). */
export const nextForFilters = (tenant: TenantRef, condition?: SQL): SQL | undefined =>
  tenant.tenantId === PLATFORM_TENANT ? undefined : nextRevision(tenant, condition);

/** Whether a change of a subscription changes what publishing obeys: its filter, or the types for which it has one. */
export const changesRules = (
  { options }: { options: { filter?: unknown } | null },
  { filter, events }: { filter?: FilterObject | null | undefined; events?: readonly string[] | undefined },
): boolean => filter !== undefined || (events !== undefined && options?.filter !== undefined);
