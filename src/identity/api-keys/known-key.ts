/** Looking a key up by its hash. A mistyped key costs no trip to D1, and unknown keys are limited by address. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import { DAY_MS } from "../../base/time";
import { isKey } from "./key";

/** Each time that is recorded costs a row, which is an eighth of what a publish with its delivery costs. */
const USE_RESOLUTION_MS = DAY_MS;

/**
 * Returns what `find` returns for the hash of a key. Throws RATE_LIMITED when too many unknown keys come from
 * `clientIp`.
 */
export async function findByKey<Row>(
  deps: Deps,
  key: string,
  clientIp: string,
  find: (hash: string) => Promise<Row | null>,
): Promise<Row | null> {
  if (!isKey(key)) return null;
  const hash = await sha256Hex(key);
  return lookUp(deps, "unknownApiKey", { clientIp, mark: hash }, () => find(hash));
}

/** Whether the last recorded use is so old that this one should be recorded. */
export const isUseStale = (lastUsedAt: number | null, nowMs: number): boolean =>
  lastUsedAt === null || nowMs - lastUsedAt >= USE_RESOLUTION_MS;
