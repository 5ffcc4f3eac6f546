/** Reads again what can change between a claim and its send. */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { Claimed } from "./claimed";
import { readTargets } from "./target-store";

/**
 * Reads the subscriptions of claimed deliveries again. Returns the deliveries for which the read failed. Never throws.
 */
export async function refreshTargets(deps: Deps, deliveries: readonly Claimed[]): Promise<Set<Claimed>> {
  const failed = new Set<Claimed>();
  for (const [shard, together] of Map.groupBy(deliveries, (delivery) => delivery.shard)) {
    const readMs = deps.now();
    const ids = new Set(together.map(({ subscriptionId }) => subscriptionId));
    try {
      const targets = await readTargets(deps.shards.db(shard), [...ids], readMs);
      for (const delivery of together) {
        Object.assign(delivery, targets.get(delivery.subscriptionId) ?? { isDeleted: 1 }, { readMs });
      }
    } catch (error) {
      log("error", "subscriptions not read again", { shard, count: together.length, ...describeError(error) });
      for (const delivery of together) failed.add(delivery);
    }
  }
  return failed;
}
