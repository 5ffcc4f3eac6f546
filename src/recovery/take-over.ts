/** What a take-over ends outside of the control plane. */
import { SYSTEM } from "../audit/actor";
import type { Deps } from "../deps";
import { disableSubscriptionsOfTenant } from "../subscriptions/tenant-store";
import type { TenantRef } from "../tenants/principal";

/**
 * Disables the subscriptions of tenants that a take-over leaves, before it does: a fault in between costs the link nothing, so that it can
 * be followed again.
 */
export async function disableAbandoned(deps: Deps, tenants: readonly TenantRef[]): Promise<void> {
  for (const tenant of tenants) await disableSubscriptionsOfTenant(deps, { ...tenant, actor: SYSTEM }, deps.now());
}
