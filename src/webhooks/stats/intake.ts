/**
 * Whether all that the tenants of a database store has to be counted: that reads each of its rows. Within a day of a
 * count nobody can have come to the limit while all new events together, added to the largest tenant, stay below it.
 */
import { firstIdAt } from "../../base/db/ids";
import { MaintenancePages } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";
import { noteStorageCount, readIntake, readStorageCount, type StorageCount } from "./intake-store";

/** For so long new events say enough. Retries and replays write attempts of old ones. */
const COUNTED_EVERY_MS = DAY_MS;

/**
 * Adds up the events since the last look. Returns whether a count is due, or "unfinished" when `isOver` came first.
 * While a tenant is above the limit, a count is always due, because retention may have made room.
 */
export async function isCountDue(
  deps: Deps,
  shard: number,
  limitBytes: number,
  isOver: () => boolean,
): Promise<boolean | "unfinished"> {
  const nowMs = deps.now();
  const { count: known, isAbove, elsewhere } = await readStorageCount(deps, shard, limitBytes);
  if (known === null || isAbove || known.largest + elsewhere > limitBytes) return true;
  if (nowMs - known.countedAt >= COUNTED_EVERY_MS) return true;
  const { count, isLast } = await takeIn(deps, shard, known, nowMs, isOver);
  await noteStorageCount(deps, shard, count);
  return isLast ? count.largest + elsewhere + count.takenIn > limitBytes : "unfinished";
}

async function takeIn(deps: Deps, shard: number, known: StorageCount, until: number, isOver: () => boolean) {
  const pages = new MaintenancePages(deps);
  let count = known;
  while (!isOver()) {
    const { takenTo, takenIn } = count;
    const page = await pages.next((limit) => readIntake(deps.shards.db(shard), { after: takenTo, until, limit }));
    count = { ...count, takenIn: takenIn + page.bytes, takenTo: page.last ?? takenTo };
    if (page.isLast) return { count, isLast: true };
  }
  return { count, isLast: false };
}

/** Notes that all has been counted, but for what came since the count began. */
export const noteCounted = (deps: Deps, shard: number, startedMs: number, largest: number): Promise<void> =>
  noteStorageCount(deps, shard, { countedAt: startedMs, largest, takenIn: 0, takenTo: firstIdAt(startedMs) });
