/** The tenants and the users that the product names, in D1. */
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { idOfTenant } from "../../tenancy/tenants/store";
import type { TenantName } from "../../tenancy/tenants/tenant-name";

export interface NamedTenant extends TenantRef {
  name: string;
  externalId: string | null;
  isSuspended: 0 | 1;
}

/** The tenant with this name; undefined when there is none. The tenant of the platform is none. */
export async function findNamedTenant({ db }: Deps, name: TenantName): Promise<NamedTenant | undefined> {
  return queryFirst<NamedTenant>(db)`SELECT t.id AS tenantId, t.shard, t.name, t.external_id AS externalId,
      t.suspended_at IS NOT NULL AS isSuspended
    FROM tenants t WHERE t.id = ${idOfTenant(name)} AND t.id <> ${PLATFORM_TENANT}`;
}

/** One of them is set. */
export interface UserName {
  id: string | null;
  externalId: string | null;
  email: string | null;
}

export interface NamedUser {
  userId: string;
  email: string;
  externalId: string | null;
}

/** The user with this name, across tenants; undefined when there is none. */
export async function findNamedUser({ db }: Deps, name: UserName): Promise<NamedUser | undefined> {
  return queryFirst<NamedUser>(db)`SELECT u.id AS userId, u.email, u.external_id AS externalId FROM users u
    WHERE u.id = coalesce(${name.id}, (SELECT x.id FROM users x WHERE x.external_id = ${name.externalId}),
      (SELECT x.id FROM users x WHERE x.email = ${name.email}))`;
}
