/** What reclaiming an account ends outside of the control plane. */

import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { disableSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";

/**
 * Disables the subscriptions of tenants that the account will leave. Call it before the account is reclaimed: after a
 * fault in between, the link still works and can be followed again.
 */
export async function disableAbandoned(deps: Deps, tenants: readonly TenantRef[]): Promise<void> {
  for (const tenant of tenants) await disableSubscriptionsOfTenant(deps, { ...tenant, actor: SYSTEM }, deps.now());
}
