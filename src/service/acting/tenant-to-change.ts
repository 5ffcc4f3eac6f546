/** The tenant that an operator changes. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { findTenant } from "../../tenancy/tenants/store";

/** Finds the tenant. Throws NOT_FOUND. */
export async function tenantToChange(deps: Deps, id: string): Promise<TenantRef> {
  const tenant = await findTenant(deps, id);
  if (!tenant) throw notFound("Tenant");
  return tenant;
}
