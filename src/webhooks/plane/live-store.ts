/** Which subscriptions a statement may touch. */
import { type SQL, sql } from "drizzle-orm";
import { KEPT_PER_USED } from "../../base/limits/caps";
import type { TenantRef } from "../../base/schemas/tenant-ref";

/** True for the subscription `s` with this id if it belongs to the tenant and is not deleted. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0`;

/** `isLive`, but not for listeners, which have no URL and only their own routes change. */
export const hasUrl = (tenant: TenantRef, id: string): SQL => sql`${isLive(tenant, id)} AND s.listener_of IS NULL`;

/** True for few enough subscriptions with the deleted ones, of which `most` may be in use: an aggregate of them. */
export const keepsFew = (most: number): SQL => sql`count(*) < ${most * KEPT_PER_USED}`;
