/** Every hour: ends listeners that nobody has used for a day. */
import type { PagedMaintenance } from "../../base/maintenance";
import { SYSTEM } from "../../base/schemas/actor";
import { DAY_MS } from "../../base/time";
import { findTenant } from "../../tenancy/tenants/store";
import { deleteListener, readIdleListeners } from "./store";

const MAX_ENDED = 100;

/** Ends the listeners of a database that have had no socket for 24 hours. */
export const endIdleListeners: PagedMaintenance = async (deps, shard, _cursor, isOver) => {
  const idle = await readIdleListeners(deps.shards.db(shard), deps.now() - DAY_MS, MAX_ENDED);
  for (const { id, tenantId } of idle) {
    if (isOver()) return "";
    const tenant = await findTenant(deps, tenantId);
    // Without its tenant, the deletion of the tenant takes it along.
    if (!tenant || !(await deleteListener(deps, { ...tenant, actor: SYSTEM }, { id, ownerId: null }, deps.now())))
      continue;
    deps.background("close a socket", deps.listenSockets.getByName(id).end());
  }
  return null;
};
