/** The owners of a tenant whose email addresses are verified, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/**
 * Returns an expression that is 1 or 0: whether one of the owners has a verified address, or the product vouches for
 * the tenant. `tenantId` is a value, or a column of the enclosing query. Owners come first: nearly every tenant has
 * such a one, and their index finds them among any number of members.
 */
export const hasVerifiedOwner = (
  tenantId: SQL,
): SQL => sql`(EXISTS (SELECT 1 FROM memberships om CROSS JOIN users ou ON ou.id = om.user_id
      WHERE om.tenant_id = ${tenantId} AND om.role = 'owner' AND ou.email_verified_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM tenants ot WHERE ot.id = ${tenantId} AND ot.trusted_at IS NOT NULL))`;

/** Returns those of the tenants that have a verified owner. */
export async function readTenantsWithVerifiedOwner(
  { db }: Deps,
  tenantIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await query<{ tenantId: string }>(db)`SELECT j.value AS tenantId
    FROM json_each(${jsonList(tenantIds)}) j
    WHERE ${hasVerifiedOwner(sql`j.value`)}`;
  return new Set(found.map(({ tenantId }) => tenantId));
}

/** Holds if the tenant had an owner with a verified address who joined before a time (Unix ms). */
export const hadVerifiedOwner = (tenantId: SQL, beforeMs: number): SQL =>
  sql`EXISTS (SELECT 1 FROM memberships om CROSS JOIN users ou ON ou.id = om.user_id WHERE om.tenant_id = ${tenantId}
    AND om.role = 'owner' AND ou.email_verified_at IS NOT NULL AND om.created_at < ${beforeMs})`;

/** A notice goes to no more owners than this. */
const MAX_OWNERS = 20;

/** The owners of a tenant whose addresses are verified and who joined before a time; none for a deleted tenant. */
export async function readVerifiedOwners(
  { db }: Deps,
  tenantId: string,
  beforeMs: number = Number.MAX_SAFE_INTEGER,
): Promise<{ tenantName: string; ownerIds: string[] }> {
  const found = await query<{ userId: string; tenantName: string }>(db)`SELECT m.user_id AS userId, t.name AS tenantName
    FROM memberships m CROSS JOIN tenants t ON t.id = m.tenant_id CROSS JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${tenantId} AND m.role = 'owner' AND u.email_verified_at IS NOT NULL
      AND m.created_at < ${beforeMs} ORDER BY m.created_at LIMIT ${MAX_OWNERS}`;
  const ownerIds = found.map(({ userId }) => userId);
  return { tenantName: found[0]?.tenantName ?? "", ownerIds };
}
