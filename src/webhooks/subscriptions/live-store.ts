/** Which subscriptions a statement may touch. */
import { type SQL, sql } from "drizzle-orm";
import type { TenantRef } from "../../platform/schemas/tenant-ref";

/** True for the subscription `s` with this id if it belongs to the tenant and is not deleted. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0`;
