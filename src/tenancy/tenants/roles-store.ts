/** The rules of roles.ts as SQL, for writes that must check them in the same statement. */
import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../../base/errors";
import { managers, type Role, roleNames, rolesManagedBy } from "../../base/schemas/roles";
import { HOUR_MS, iso } from "../../base/time";

/** True while a holder of `actorRole` (an expression; null for nobody) may give and take away `role`. */
export function mayManageRole(actorRole: SQL, role: SQL | Role): SQL {
  const managed = JSON.stringify(Object.fromEntries(managers().map((manager) => [manager, rolesManagedBy(manager)])));
  const known = sql`iif(${role} IN (SELECT value FROM json_each(${JSON.stringify(roleNames())})), ${role}, 'member')`;
  return sql`${known} IN (SELECT value FROM json_each(json_extract(${managed}, '$."' || ${actorRole} || '"')))`;
}

/** The role of a member, as an expression; null for a user who is not a member of the tenant. */
export const roleOf = (tenantId: SQL | string, userId: SQL | string): SQL =>
  sql`(SELECT role FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})`;

/** For so long, an owner has no power over the owners who were there before. */
export const NEW_OWNER_MS = 72 * HOUR_MS;

/**
 * When somebody who became an owner less than 72 hours ago may act on older owners (Unix ms), as an expression; null
 * for everybody else. A stolen account that is made an owner cannot drive out those who would notice.
 */
export const newOwnerUntil = (tenantId: SQL | string, userId: SQL | string, nowMs: number): SQL =>
  sql`(SELECT owner_since + ${NEW_OWNER_MS} FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId}
    AND role = 'owner' AND owner_since > ${nowMs - NEW_OWNER_MS})`;

/** Throws FORBIDDEN for a new owner, and says until when. */
export function refuseNewOwner(untilMs: number): never {
  throw new AppError("FORBIDDEN", {
    message:
      "You became an owner less than 72 hours ago. You cannot remove or demote an older owner or delete the tenant " +
      `until ${iso(untilMs)}.`,
  });
}
