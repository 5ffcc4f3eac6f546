/**
 * A change of a subscription's limits ends all waits for slots: each delivery gets another slot under the new limits,
 * or needs none.
 */

import type { Deps } from "../../platform/deps";
import type { DeliveryMessage } from "../../platform/messages";
import type { TenantRef } from "../../platform/schemas/tenant-ref";
import { endWaits } from "./waits-store";

const KEYS_PER_MESSAGE = 50;
/** As many as one `sendBatch` takes. */
const KEYS_PER_ROUND = 1_000;

/**
 * Queues the waiting deliveries again. If it fails halfway, the rest is sent at its old slots. Throws when D1 or the
 * queue is down.
 */
export async function askForNewSlots(deps: Deps, tenant: TenantRef, subscriptionId: string): Promise<void> {
  for (;;) {
    const due = await endWaits(deps, tenant, subscriptionId, KEYS_PER_ROUND, deps.now());
    const messages: MessageSendRequest<DeliveryMessage>[] = [];
    for (let start = 0; start < due.length; start += KEYS_PER_MESSAGE) {
      messages.push({ body: { shard: tenant.shard, due: due.slice(start, start + KEYS_PER_MESSAGE) } });
    }
    if (messages.length > 0) await deps.deliveryQueue.sendBatch(messages);
    if (due.length < KEYS_PER_ROUND) return;
  }
}
