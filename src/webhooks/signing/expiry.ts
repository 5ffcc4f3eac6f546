/** Erases the secrets of signing keys that have expired. */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { removeExpiredSecrets } from "./store";

/** Erases the secrets of expired keys in every shard. A shard that fails is logged and skipped. Never throws. */
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
