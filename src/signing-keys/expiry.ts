/** Signing keys that have expired lose their secrets. */
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { removeExpiredSecrets } from "./store";

/** Removes the secrets of expired keys from every shard. One that fails is logged, and the others go on. */
export async function endExpiredKeys({ shards, now }: Deps): Promise<void> {
  for (const shard of shards.numbers) {
    try {
      const count = await removeExpiredSecrets(shards.db(shard), now());
      if (count > 0) log("info", "expired signing keys removed", { shard, count });
    } catch (error) {
      log("error", "signing keys could not be removed", { shard, ...describeError(error) });
    }
  }
}
