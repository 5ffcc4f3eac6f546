/** SQL conditions that several stores use. */
import { type SQL, sql } from "drizzle-orm";
import type { TenantRef } from "../tenants/principal";

/** True for the subscription `s` with this id if it belongs to the tenant and is not deleted. Those of other tenants are treated as missing. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0`;
