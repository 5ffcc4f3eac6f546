/** The safety net under the queue: whatever nobody looks after any more is queued again. */
import type { Deps } from "../deps";
import { log } from "../log";
import { enqueueDeliveries } from "./enqueue";
import { sweepDeliveries } from "./store";
import { QUEUE_GRACE_MS } from "./timing";

/** Bounds one run; the next comes a minute later. */
const MAX_PAGES = 20;
/** A swept delivery's message may wait in a long queue: not swept again before. */
const RESWEEP_MS = 3 * QUEUE_GRACE_MS;

export async function sweep(deps: Deps): Promise<void> {
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { swept, interrupted } = await sweepDeliveries(deps, deps.now(), RESWEEP_MS);
    if (swept.length === 0) break;
    count += swept.length;
    for (const attempt of interrupted) log("warn", "attempt", { ...attempt, outcome: "failed", reason: "interrupted" });
    for (const { id, slow, dueAt, ...names } of swept) {
      if (dueAt === null) log("error", "delivery given up: its consumer died each time", { deliveryId: id, ...names });
    }
    await enqueueDeliveries(
      deps,
      swept.filter(({ dueAt }) => dueAt !== null),
    );
  }
  if (count > 0) log("warn", "deliveries swept", { count });
}
