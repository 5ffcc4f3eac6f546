/** Ending the wait before a delivery's next attempt by hand. */

import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { whereFound } from "../../tenancy/moves/places";
import { enqueue } from "../plane/enqueue";
import { endWait, findWaiting } from "./send-now-store";

/**
 * Makes the next attempt of a delivery now, in place of the planned one. Throws NOT_FOUND when the delivery does not
 * wait, or waits because of a limit, which no user can bypass.
 */
export async function sendNow(deps: Deps, tenant: TenantRef, id: string, deliveryId: string): Promise<void> {
  let place = tenant;
  const waiting = await whereFound(
    tenant,
    (there) => {
      place = there;
      return findWaiting(deps, there, id, deliveryId);
    },
    (read) => read !== undefined,
  );
  if (waiting?.slotAt !== null) throw notFound("Waiting delivery");
  const due = await endWait(deps, place, id, waiting, deps.now());
  deps.background("enqueue attempt", enqueue(deps, "slow", place.shard, due));
}
