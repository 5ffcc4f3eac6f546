/** Counts how much the tenants of a database store, when that can have become too much. */
import { MaintenancePages } from "../../base/db/paged-maintenance";
import { readSize } from "../../base/db/shard-sizes-store";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { noteStoredBytes } from "../../tenancy/tenants/storage-store";
import { COUNTED_TABLES } from "./counted-tables";
import { isCountDue, noteCounted } from "./intake";
import { addTo, type Sums } from "./largest";
import { countPage, type RowKey, withControlPlane } from "./stored-bytes-store";

const MIB = 1024 * 1024;
/** The share of its limit from which what a tenant stores in a database is noted. A moved tenant uses two databases. */
const NOTED_FROM = 1 / 4;

/** How far the counting has come. */
interface Place {
  /** The position of the table that is being counted, and the last row that was counted; null: none. */
  table: number;
  after: RowKey | null;
  /** Bytes, by the ids of tenants. */
  sums: Sums;
  /** When the counting began, Unix ms. */
  startedMs: number;
}

const BEGINNING: Omit<Place, "startedMs"> = { table: 0, after: null, sums: {} };

/**
 * Notes the tenants that store more than a quarter of what they may. While a whole database is smaller than that, or
 * nobody can have come to the limit since the last count, nothing is counted.
 */
export const countStoredBytes: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const db = deps.shards.db(shard);
  const limitBytes = deps.config.tenantStoredMib * MIB;
  const notedFrom = NOTED_FROM * limitBytes;
  if (cursor === "") {
    if ((await readSize(db)) <= notedFrom) {
      await noteStoredBytes(deps.db, shard, []);
      return null;
    }
    const isDue = await isCountDue(deps, shard, limitBytes, isOver);
    if (isDue !== true) return isDue ? "" : null;
  }
  const pages = new MaintenancePages(deps);
  let { table, after, sums, startedMs } = placeOf(cursor, deps.now());
  while (!isOver()) {
    const counted = COUNTED_TABLES[table];
    if (counted === undefined) {
      const largest = await noteLargest(deps, shard, sums, notedFrom);
      await noteCounted(deps, shard, startedMs, largest);
      return null;
    }
    const from = after;
    const page = await pages.next((limit) => countPage(db, counted, { after: from, limit, nowMs: deps.now() }));
    sums = addTo(
      sums,
      page.kept.map(({ tenantId, bytes }) => [tenantId, bytes]),
    );
    after = page.next;
    if (after === null) table += 1;
  }
  return JSON.stringify({ table, after, sums, startedMs } satisfies Place);
};

/** The version before had other places. */
function placeOf(cursor: string, nowMs: number): Place {
  const place = cursor === "" ? {} : (JSON.parse(cursor) as Partial<Place>);
  return { ...BEGINNING, startedMs: nowMs, ...(place.startedMs ? place : {}) };
}

/** Returns what the tenant that stores the most has, in bytes. */
async function noteLargest(deps: Deps, shard: number, sums: Sums, notedFrom: number): Promise<number> {
  const largest = Object.entries(sums).map(([tenantId, bytes]) => ({ tenantId, bytes }));
  const kept = await withControlPlane(
    deps,
    largest.filter(({ bytes }) => bytes > notedFrom),
  );
  await noteStoredBytes(
    deps.db,
    shard,
    kept.map(({ tenantId, bytes }) => ({ id: tenantId, bytes })),
  );
  return [...largest, ...kept].reduce((most, { bytes }) => Math.max(most, bytes), 0);
}
