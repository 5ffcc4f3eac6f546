/** What reclaiming an account ends outside of the control plane. */

import type { Deps } from "../../platform/deps";
import { SYSTEM } from "../../platform/schemas/actor";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { disableSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";

/**
 * Disables the subscriptions of tenants that the account will leave. Call it before the account is reclaimed: after a
 * fault in between, the link still works and can be followed again.
 */
export async function disableAbandoned(deps: Deps, tenants: readonly TenantRef[]): Promise<void> {
  for (const tenant of tenants) await disableSubscriptionsOfTenant(deps, { ...tenant, actor: SYSTEM }, deps.now());
}
