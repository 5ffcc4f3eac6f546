/**
 * Unknown API keys with a valid checksum. Each costs a lookup in D1, so an address that has sent too many is refused
 * before the lookup. Keys that worked in this isolate are let through: others may share the address.
 */
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { refuseOverLimit } from "../../base/limits/limiter";

/** Bounds the memory. */
const MAX_REMEMBERED = 1_000;

const refusedUntilMs = new BoundedMap<number>(MAX_REMEMBERED);
const goodHashes = new BoundedMap<true>(MAX_REMEMBERED);

/** Throws RATE_LIMITED for an address that has sent too many unknown keys, unless this key worked before. */
export function refuseUnknownKeys(deps: Deps, hash: string, clientIp: string): void {
  const waitMs = (refusedUntilMs.get(clientIp) ?? 0) - deps.now();
  if (waitMs <= 0 || goodHashes.has(hash)) return;
  throw new AppError("RATE_LIMITED", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** Counts an unknown key. Throws RATE_LIMITED beyond the limit. */
export async function countUnknownKey(deps: Deps, clientIp: string): Promise<void> {
  const verdict = await deps.limiter.consume("unknownApiKey", clientIp);
  if (verdict?.allowed === false) refusedUntilMs.set(clientIp, deps.now() + verdict.resetMs);
  refuseOverLimit(verdict);
}

/** Remembers a key that worked. */
export function rememberGoodKey(hash: string): void {
  goodHashes.set(hash, true);
}
