/** The rules of roles.ts as SQL, for writes that must check them in the same statement. */
import { type SQL, sql } from "drizzle-orm";
import { ROLES_MANAGED_BY, type Role } from "../../platform/schemas/roles";

const MANAGED = JSON.stringify(ROLES_MANAGED_BY);

/** True while a holder of `actorRole` (an expression; null for nobody) may give and take away `role`. */
export const mayManageRole = (actorRole: SQL, role: SQL | Role): SQL =>
  sql`${role} IN (SELECT value FROM json_each(json_extract(${MANAGED}, '$.' || ${actorRole})))`;

/** The role of a member, as an expression; null for a user who is not a member of the tenant. */
export const roleOf = (tenantId: SQL | string, userId: SQL | string): SQL =>
  sql`(SELECT role FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})`;
