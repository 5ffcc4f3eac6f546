/** Starts what runs in the Durable Objects of the delivery databases: the sweeps and the upkeep. */
import { askNear } from "../../base/db/regions";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { Period } from "./run-jobs";

/**
 * Starts the sweeps of every database where they are not running. Called every minute. A failure is logged. Never
 * throws.
 */
export async function startSweepers({ shards, sweepers }: Deps): Promise<void> {
  const start = async (shard: number) => {
    try {
      await sweepers.get(sweepers.idFromName(String(shard)), await askNear(shards, shard)).start(shard);
    } catch (error) {
      log("error", "sweeper not started", { shard, ...describeError(error) });
    }
  };
  await Promise.all(shards.numbers.map(start));
}

/** Begins the jobs of a period in the upkeep object of every database. A failure is logged. Never throws. */
export async function beginUpkeep({ shards, sweepers }: Deps, period: Period): Promise<void> {
  const begin = async (shard: number) => {
    try {
      await sweepers.get(sweepers.idFromName(`upkeep:${shard}`), await askNear(shards, shard)).begin(shard, period);
    } catch (error) {
      log("error", "upkeep not started", { shard, ...describeError(error) });
    }
  };
  await Promise.all(shards.numbers.map(begin));
}
