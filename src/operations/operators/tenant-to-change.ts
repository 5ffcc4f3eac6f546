/** What comes first when an operator changes a tenant. */
import { requireStepUp, type StepUpCredentials } from "../../identity/step-up/confirm";
import type { Deps } from "../../platform/deps";
import { notFound } from "../../platform/errors";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { findTenant } from "../../tenancy/tenants/store";

/** Confirms the session and finds the tenant. Throws NOT_FOUND, or like `requireStepUp`. */
export async function tenantToChange(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  credentials: StepUpCredentials,
): Promise<TenantRef> {
  await requireStepUp(deps, operator, credentials);
  const tenant = await findTenant(deps, id);
  if (!tenant) throw notFound("Tenant");
  return tenant;
}
