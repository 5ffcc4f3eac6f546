/** Ends the trial of subscriptions in their delivery databases, once their tenants have a verified owner. */
import { sql } from "drizzle-orm";
import { atomically, jsonList } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { Claimed } from "../run-states";

/** Spans tenants, like a batch of the queue. */
export async function endTrials(deps: Deps, deliveries: readonly Claimed[]): Promise<void> {
  for (const [shard, ofShard] of Map.groupBy(deliveries, (delivery) => delivery.shard)) {
    const ids = jsonList([...new Set(ofShard.map(({ subscriptionId }) => subscriptionId))]);
    await atomically(deps.shards.db(shard), {
      ended: sql`UPDATE subscriptions SET on_trial = 0 
        WHERE id IN (SELECT value FROM json_each(${ids})) AND on_trial = 1`,
    });
  }
}
