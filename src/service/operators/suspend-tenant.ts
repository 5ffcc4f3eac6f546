/**
 * Suspends and resumes a tenant, which is in both planes: its sends are frozen or released first, in its delivery
 * databases. What fails halfway can be repeated to do the rest.
 */
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import type { NewAuditEvent } from "../../tenancy/audit/record-store";
import { inPlacesOf } from "./freeze-places";
import { deleteFreeze, insertFreeze } from "./freezes-store";
import { markTenantResumed, markTenantSuspended } from "./suspend-store";

/**
 * Refuses the credentials of a tenant, and lets its deliveries wait.
 * Records the events unless it is suspended already.
 */
export async function suspendEverywhere(
  deps: Deps,
  tenant: TenantRef,
  reason: string,
  events: readonly NewAuditEvent[],
): Promise<void> {
  const { tenantId } = tenant;
  const freeze = { tenantId, cause: "suspended", since: deps.now() } as const;
  await inPlacesOf(deps, tenant, (place) => insertFreeze(place, freeze, null));
  await markTenantSuspended(deps, { tenantId, reason }, events, deps.now());
}

/** Ends the suspension of a tenant; its waiting deliveries are sent. Records the events if there was one. */
export async function resumeEverywhere(deps: Deps, tenant: TenantRef, events: readonly NewAuditEvent[]): Promise<void> {
  const { tenantId } = tenant;
  await inPlacesOf(deps, tenant, (place) => deleteFreeze(place, { tenantId, cause: "suspended" }, null));
  await markTenantResumed(deps, tenantId, events);
}
