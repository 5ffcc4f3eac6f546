/** Deleting a tenant. Access ends at once; the purge mails the members and removes the rest. */

import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { log } from "../../base/log/log";
import type { PlatformKeyPrincipal, SessionPrincipal } from "../../base/schemas/principal";
import { requireTenant } from "../../identity/platform-keys/subjects";
import { refuseNewOwner } from "../../tenancy/tenants/roles-store";
import { endSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";
import { deleteTenantOfOwner, deleteTenantOfProduct } from "./tenant-store";

/**
 * Deletes a tenant with a platform key; its members keep their accounts. Throws NOT_FOUND, CONFLICT if it is suspended.
 */
export async function deleteTenantBy(deps: Deps, key: PlatformKeyPrincipal, name: string): Promise<void> {
  const tenant = await requireTenant(deps, key, name);
  const { tenantId } = tenant;
  if (!(await deleteTenantOfProduct(deps, tenantId, key.actor, deps.now()))) throw suspended();
  log("info", "tenant deleted", { tenantId });
  deps.background("end subscriptions", endSubscriptionsOfTenant(deps, tenant, deps.now()));
}

const suspended = () =>
  new AppError("CONFLICT", { message: "This tenant is suspended. It cannot be deleted until it is resumed." });

/** Throws CONFLICT while the caller's tenant is suspended. */
export function refuseSuspended({ isTenantSuspended }: SessionPrincipal): void {
  if (isTenantSuspended) throw suspended();
}

/** Deletes the caller's tenant for all of its members; their accounts stay. Throws FORBIDDEN. */
export async function deleteTenant(deps: Deps, caller: SessionPrincipal): Promise<void> {
  const outcome = await deleteTenantOfOwner(deps, caller, deps.now());
  if (outcome === "refused") throw new AppError("FORBIDDEN");
  if (outcome !== "deleted") refuseNewOwner(outcome.newOwnerUntil);
  const { tenantId, userId } = caller;
  log("info", "tenant deleted", { tenantId, userId });
  // The purge also does this, at its next run.
  deps.background("end subscriptions", endSubscriptionsOfTenant(deps, caller, deps.now()));
}
