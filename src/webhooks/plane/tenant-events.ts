/** Publishing operational events that are about the tenant. */
import type { Deps } from "../../base/deps";
import type { TenantEventType } from "../../base/schemas/event-type";
import { onceMoved } from "../../tenancy/moves/fence";
import { findTenant } from "../../tenancy/tenants/store";
import { sendOperational } from "./operational";
import { insertTenantEvent } from "./tenant-events-store";

/** Publishes an event, if a subscription of the tenant wants it; nothing for a tenant that has been deleted. */
export async function publishToTenant(
  deps: Deps,
  tenantId: string,
  type: TenantEventType,
  payload: Readonly<Record<string, string>>,
): Promise<void> {
  await onceMoved(deps, async () => {
    const tenant = await findTenant(deps, tenantId);
    if (!tenant) return;
    const event = { type, payload: JSON.stringify(payload) };
    sendOperational(deps, tenant.shard, await insertTenantEvent(deps, tenant, event, deps.now()));
  });
}
