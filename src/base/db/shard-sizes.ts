/**
 * Notes the size of each delivery database every hour. One that is full gets no new tenants, and later no events; one
 * that fills up is logged.
 */

import { describeError, log } from "../log/log";
import type { Db } from "./client";
import { CLOSED_AT, MAX_SHARD_BYTES, noteSize, readSize } from "./shard-sizes-store";
import type { Shards } from "./shards";

const WARN_AT = 0.7;

/** Notes the size of every delivery database. A database that is down is logged and skipped. Never throws. */
export async function noteShardSizes(deps: { db: Db; shards: Shards; now(): number }): Promise<void> {
  for (const shard of deps.shards.numbers) {
    try {
      const bytes = await readSize(deps.shards.db(shard));
      await noteSize(deps.db, shard, bytes, deps.now());
      const share = bytes / MAX_SHARD_BYTES;
      if (share >= CLOSED_AT) log("error", "delivery database closed to new tenants", { shard, bytes });
      else if (share >= WARN_AT) log("warn", "delivery database is filling up", { shard, bytes });
    } catch (error) {
      log("error", "size of a delivery database not noted", { shard, ...describeError(error) });
    }
  }
}
