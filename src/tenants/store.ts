/** Tenants in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../db/client";
import type { Deps } from "../deps";
import type { TenantRef, TenantStanding } from "./principal";
import { hasVerifiedOwner } from "./verified-store";

/** The tenant with its shard and standing; undefined when there is none. */
export async function findTenant({ db }: Deps, tenantId: string): Promise<(TenantRef & TenantStanding) | undefined> {
  const { found } = await atomically(db, {
    found: rows<
      TenantRef & { isVerified: 0 | 1 }
    >(sql`SELECT t.id AS tenantId, t.shard, ${hasVerifiedOwner(sql`t.id`)} AS isVerified
      FROM tenants t WHERE t.id = ${tenantId}`),
  });
  const [tenant] = found;
  return tenant && { tenantId: tenant.tenantId, shard: tenant.shard, hasVerifiedOwner: tenant.isVerified === 1 };
}
