/** SQL for whether a tenant has an owner whose email address is verified. */
import { type SQL, sql } from "drizzle-orm";

/** 1 or 0 for the tenant with this id: a column or a value of the query around it. */
export const hasVerifiedOwner = (
  tenantId: SQL,
): SQL => sql`EXISTS (SELECT 1 FROM memberships om JOIN users ou ON ou.id = om.user_id
  WHERE om.tenant_id = ${tenantId} AND om.role = 'owner' AND ou.email_verified_at IS NOT NULL)`;
