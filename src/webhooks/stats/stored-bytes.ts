/** Counts every hour how much the tenants of a database store, while that can be too much. */
import { MaintenancePages } from "../../base/db/paged-maintenance";
import { readSize } from "../../base/db/shard-sizes-store";
import type { PagedMaintenance } from "../../base/maintenance";
import { noteStoredBytes } from "../../tenancy/tenants/storage-store";
import { countEventBytes } from "./stored-bytes-store";

const MIB = 1024 * 1024;
/** The share of its limit from which what a tenant stores in a database is noted. A moved tenant uses two databases. */
const NOTED_FROM = 1 / 4;

/** How far the counting has come. */
interface Place {
  /** The last event that was counted. */
  after: string;
  /** By the ids of tenants. */
  bytes: Record<string, number>;
}

/**
 * Notes the tenants that store more than a quarter of what they may. While a whole database is smaller than that,
 * nothing is counted.
 */
export const countStoredBytes: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const db = deps.shards.db(shard);
  const notedFrom = NOTED_FROM * deps.config.tenantStoredMib * MIB;
  if (cursor === "" && (await readSize(db)) <= notedFrom) {
    await noteStoredBytes(deps.db, shard, []);
    return null;
  }
  const pages = new MaintenancePages(deps);
  const place: Place = cursor === "" ? { after: "", bytes: {} } : (JSON.parse(cursor) as Place);
  while (!isOver()) {
    const page = await pages.next((rows) => countEventBytes(db, place.after, rows));
    for (const { id, bytes } of page.tenants) place.bytes[id] = (place.bytes[id] ?? 0) + bytes;
    if (page.next === null) {
      const counted = Object.entries(place.bytes).map(([id, bytes]) => ({ id, bytes }));
      await noteStoredBytes(
        deps.db,
        shard,
        counted.filter(({ bytes }) => bytes > notedFrom),
      );
      return null;
    }
    place.after = page.next;
  }
  return JSON.stringify(place);
};
