/** What a take-over ends outside of the control plane. */
import { SYSTEM } from "../audit/actor";
import type { Deps } from "../deps";
import { disableSubscriptionsOfTenant } from "../subscriptions/tenant-store";
import type { TenantRef } from "../tenants/principal";

/**
 * Disables the subscriptions of tenants that a take-over will leave. Call it before the take-over: after a fault in between, the link still
 * works and can be followed again.
 */
export async function disableAbandoned(deps: Deps, tenants: readonly TenantRef[]): Promise<void> {
  for (const tenant of tenants) await disableSubscriptionsOfTenant(deps, { ...tenant, actor: SYSTEM }, deps.now());
}
