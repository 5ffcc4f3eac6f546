/** What the filters of subscriptions depend on, in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { nextRevision, raiseRevision } from "../event-types/revision-store";
import type { FilterObject } from "../filters/filter";
import { hasUrl } from "../plane/live-store";

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

/** What must hold of the subscription `s` so that a filter and its event types fit each other. */
export interface FilterCondition {
  /** It has a filter, or the tenant may have one more. */
  hasRoomForFilter?: true;
  /** It lists no operational events. */
  withoutOperational?: true;
  withoutFilter?: true;
}

/** The same as SQL. */
export const filterConditions = (tenant: TenantRef, condition: FilterCondition): SQL[] => [
  ...(condition.hasRoomForFilter ? [sql`(s.filter IS NOT NULL OR ${hasRoomForFilter(tenant)})`] : []),
  ...(condition.withoutOperational
    ? [sql`NOT EXISTS (SELECT 1 FROM json_each(s.events) t WHERE t.value GLOB 'postern.*')`]
    : []),
  ...(condition.withoutFilter ? [sql`s.filter IS NULL`] : []),
];

/**
 * The statement that raises the revision of the tenant's rules if a change of the subscription `id` changes its filter,
 * or the event types for which it has one; undefined if it sets neither. Run it before the change.
 */
export function revisionAfter(
  tenant: TenantRef,
  id: string,
  { filter, events }: { filter?: FilterObject | null | undefined; events?: string | undefined },
  isAllowed: SQL,
): SQL | undefined {
  const changes = [
    ...(filter === undefined ? [] : [sql`s.filter IS NOT ${filter && JSON.stringify(filter)}`]),
    ...(events === undefined ? [] : [sql`(s.filter IS NOT NULL AND s.events IS NOT ${events})`]),
  ];
  if (changes.length === 0) return undefined;
  return nextForFilters(
    tenant,
    sql`FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND ${isAllowed} AND (${sql.join(changes, sql` OR `)})`,
  );
}
