/** The tenant that an operator changes. */
import type { Deps } from "../../platform/deps";
import { notFound } from "../../platform/errors";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { findTenant } from "../../tenancy/tenants/store";

/** Finds the tenant. Throws NOT_FOUND. */
export async function tenantToChange(deps: Deps, id: string): Promise<TenantRef> {
  const tenant = await findTenant(deps, id);
  if (!tenant) throw notFound("Tenant");
  return tenant;
}
