/** Lets the copies of a moved tenant's subscriptions follow a change. */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { mirrorSubscriptions } from "./mirror-store";

/**
 * Resolves when the former database, if there is one, knows the change. If it is down, it learns it within a minute.
 */
export async function mirrorChange(deps: Deps, tenant: TenantRef, id?: string): Promise<void> {
  try {
    await mirrorSubscriptions(deps, tenant, deps.now(), id);
  } catch (error) {
    log("error", "former database not told", { tenantId: tenant.tenantId, webhookId: id, ...describeError(error) });
  }
}
