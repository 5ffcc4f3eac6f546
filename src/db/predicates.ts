/** SQL conditions that several stores share. */
import { type SQL, sql } from "drizzle-orm";
import type { TenantRef } from "../tenants/principal";

/** True for the subscription `s` with this id if it is the tenant's and not deleted: what belongs to another tenant does not exist. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0`;
