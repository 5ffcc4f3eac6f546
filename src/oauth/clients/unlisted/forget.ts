/** Forgets unlisted clients that nobody uses any more: whoever allows one something again stores it again. */
import { thenPause } from "../../../base/db/paged-maintenance";
import type { PagedMaintenance } from "../../../base/maintenance";
import { DAY_MS } from "../../../base/time";
import { removeUnused } from "./unlisted-store";

/** Longer than what people have allowed one (400 days), and than a connection (a year). */
const KEEP_UNUSED_MS = 430 * DAY_MS;

/** Goes through the clients once. */
export const removeUnlistedApps: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  const unusedSince = deps.now() - KEEP_UNUSED_MS;
  let at: string | null = cursor;
  do {
    const from: string = at;
    at = await thenPause(deps, () => removeUnused(deps, unusedSince, from));
  } while (at !== null && !isOver());
  return at;
};
