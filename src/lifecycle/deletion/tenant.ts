/** Deleting a tenant. Access ends at once; the purge mails the members and removes the rest. */

import { requireStepUp, type StepUpCredentials } from "../../identity/step-up/confirm";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { log } from "../../platform/log";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { refuseNewOwner } from "../../tenancy/tenants/roles-store";
import { endSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";
import { deleteTenantOfOwner } from "./tenant-store";

/**
 * Deletes the caller's tenant for all of its members; their accounts stay. Throws FORBIDDEN, CONFLICT while the
 * tenant is suspended, and as `requireStepUp`.
 */
export async function deleteTenant(deps: Deps, caller: SessionPrincipal, proof: StepUpCredentials): Promise<void> {
  if (caller.isTenantSuspended) {
    throw new AppError("CONFLICT", { message: "This tenant is suspended. It cannot be deleted until it is resumed." });
  }
  await requireStepUp(deps, caller, proof);
  const outcome = await deleteTenantOfOwner(deps, caller, deps.now());
  if (outcome === "refused") throw new AppError("FORBIDDEN");
  if (outcome !== "deleted") refuseNewOwner(outcome.newOwnerUntil);
  const { tenantId, userId } = caller;
  log("info", "tenant deleted", { tenantId, userId });
  // The purge also does this, at its next run.
  deps.background("end subscriptions", endSubscriptionsOfTenant(deps, caller, deps.now()));
}
