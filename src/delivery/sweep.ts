/** The safety net under the queue: whatever nobody looks after any more is queued again. */
import type { Deps } from "../deps";
import { QUEUE_GRACE_MS } from "../events/store";
import { log } from "../log";
import { enqueueDeliveries } from "./enqueue";
import { sweepDeliveries } from "./store";

/** Bounds one run; the next comes a minute later. */
const MAX_PAGES = 20;
/** A swept delivery's message may wait in a long queue: not swept again before. */
const RESWEEP_MS = 3 * QUEUE_GRACE_MS;

export async function sweep(deps: Deps): Promise<void> {
  let swept = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const deliveries = await sweepDeliveries(deps, deps.now(), RESWEEP_MS);
    if (deliveries.length === 0) break;
    swept += deliveries.length;
    for (const { id, dueAt } of deliveries) {
      if (dueAt === null) log("error", "delivery given up: its consumer died each time", { deliveryId: id });
    }
    await enqueueDeliveries(
      deps,
      deliveries.filter(({ dueAt }) => dueAt !== null),
    );
  }
  if (swept > 0) log("warn", "deliveries swept", { count: swept });
}
