/** SQL for whether a tenant has an owner whose email address is verified. */
import { type SQL, sql } from "drizzle-orm";

/** Returns an expression that is 1 or 0. `tenantId` is a value, or a column of the enclosing query. */
export const hasVerifiedOwner = (
  tenantId: SQL,
): SQL => sql`EXISTS (SELECT 1 FROM memberships om JOIN users ou ON ou.id = om.user_id
  WHERE om.tenant_id = ${tenantId} AND om.role = 'owner' AND ou.email_verified_at IS NOT NULL)`;
