/** The databases in which a tenant is frozen. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { onceMoved } from "../../tenancy/moves/fence";
import { placesOf } from "../../tenancy/moves/places";
import { findTenant } from "../../tenancy/tenants/store";
import type { FreezePlace } from "./freezes-store";

/**
 * Changes a freeze in the former database of a tenant, and then in the present one: if the former one does not answer,
 * a second call changes everything. Waits for the fence of a move. Throws NOT_FOUND if the tenant is gone meanwhile.
 */
export async function inPlacesOf(
  deps: Deps,
  { tenantId }: TenantRef,
  change: (place: FreezePlace) => Promise<void>,
): Promise<void> {
  await onceMoved(deps, async () => {
    const tenant = await findTenant(deps, tenantId);
    if (!tenant) throw notFound("Tenant");
    for (const { shard } of placesOf(tenant).reverse()) {
      await change({ db: deps.shards.db(shard), isFormer: shard !== tenant.shard });
    }
  });
}
