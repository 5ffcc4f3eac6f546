/**
 * API keys that this isolate has read within a day, so that publishing takes one trip: the batch that stores an
 * event reads the key again, and stores nothing if it has changed.
 */
import { BoundedMap } from "../../base/bounded-map";
import { sha256Hex } from "../../base/crypto/encoding";
import type { Recheck } from "../../base/db/recheck";
import type { Deps } from "../../base/deps";
import { isKey } from "./key";
import { isUseStale } from "./known-key";
import { type KnownKey, refuseChangedKey } from "./store";

/** Bounds the memory. */
const MAX_REMEMBERED = 1_000;
/** The database in which the keys are: only its batches can read them. */
const DATABASE_OF_KEYS = 0;

/** By the hash of the key. */
const remembered = new BoundedMap<KnownKey>(MAX_REMEMBERED);

/** Remembers a key as it was just read, with the time of its last use; forgets one that cannot publish in this way. */
export function rememberKey(hash: string, key: KnownKey): void {
  remembered.delete(hash);
  if (key.shard !== DATABASE_OF_KEYS || key.formerShard !== null) return;
  if (key.isLive === 0 || key.isTenantSuspended === 1) return;
  remembered.set(hash, key);
}

/**
 * Returns a key whose use was recorded within a day, and the check that a batch must begin with; null if none is
 * remembered, or if its use must be recorded, for which it is read.
 */
export async function recallKey({ now }: Deps, key: string): Promise<(KnownKey & { recheck: Recheck }) | null> {
  const hash = isKey(key) ? await sha256Hex(key) : "";
  const known = remembered.get(hash);
  if (!known || isUseStale(known.lastUsedAt, now())) return null;
  return { ...known, recheck: refuseChangedKey(hash, known) };
}
