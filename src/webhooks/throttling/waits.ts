/**
 * A change of a subscription's limits ends all waits because of them: each delivery asks again under the new limits, or
 * needs no start.
 */
import type { Deps } from "../../platform/deps";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { enqueue } from "../delivery/enqueue";
import { endWaits } from "./waits-store";

/** As many as one `sendBatch` takes. */
const ROWS_PER_ROUND = 1_000;

/**
 * Queues the waiting deliveries again. If it fails halfway, the rest waits as long as before. Throws when D1 or the
 * queue is down.
 */
export async function rescheduleWaiting(deps: Deps, tenant: TenantRef, subscriptionId: string): Promise<void> {
  for (;;) {
    const due = await endWaits(deps, tenant, subscriptionId, ROWS_PER_ROUND, deps.now());
    await enqueue(deps, "fast", tenant.shard, due);
    if (due.length < ROWS_PER_ROUND) return;
  }
}
