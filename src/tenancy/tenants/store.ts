/** Tenants in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { TenantStanding } from "../../platform/schemas/principal";
import type { Role } from "../../platform/schemas/roles";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { STORAGE_COLUMNS, type StorageRow } from "./storage-store";
import { hasVerifiedOwner } from "./verified-store";

/** Returns the tenant with its shard and standing; undefined when there is none. */
export async function findTenant(
  { db }: Deps,
  tenantId: string,
): Promise<(TenantRef & TenantStanding & { isSuspended: boolean }) | undefined> {
  const { found } = await atomically(db, {
    found: rows<
      TenantRef & StorageRow & { isVerified: 0 | 1; isSuspended: 0 | 1 }
    >(sql`SELECT t.id AS tenantId, t.shard, ${hasVerifiedOwner(sql`t.id`)} AS isVerified, t.suspended_at IS NOT NULL
      AS isSuspended, ${STORAGE_COLUMNS}
      FROM tenants t WHERE t.id = ${tenantId}`),
  });
  const [tenant] = found;
  if (!tenant) return undefined;
  const { isVerified, isSuspended, ...ref } = tenant;
  return { ...ref, hasVerifiedOwner: isVerified === 1, isSuspended: isSuspended === 1 };
}

export interface TenantOfUser {
  id: string;
  name: string;
  role: Role;
}

/** Returns the tenants that a user is a member of, the most recently used first. */
export async function listTenantsOfUser({ db }: Deps, userId: string): Promise<TenantOfUser[]> {
  const { found } = await atomically(db, {
    found: rows<TenantOfUser>(sql`SELECT t.id, t.name, m.role FROM memberships m JOIN tenants t ON t.id = m.tenant_id
      WHERE m.user_id = ${userId} ORDER BY m.last_used_at DESC, m.created_at, t.id`),
  });
  return found;
}
