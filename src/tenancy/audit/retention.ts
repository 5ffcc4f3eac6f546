/** Deletes audit events that are too old or too many, oldest first, a page at a time, tenant by tenant. */
import { type PagedMaintenance, thenPause } from "../../platform/db/paged-maintenance";
import type { Deps } from "../../platform/deps";
import { log } from "../../platform/log";
import { DAY_MS, HOUR_MS } from "../../platform/time";
import {
  COUNTED_EVENTS,
  DELETED_EVENTS,
  deleteEventsBefore,
  deleteEventsOlderThan,
  idOfNth,
  nextTenants,
  tenantsWithMany,
} from "./retention-store";

/**
 * A tenant without events since the last run cannot have become too large. Runs are an hour apart, and one may be
 * missed.
 */
const RECENT_MS = 3 * HOUR_MS;
/** Greater than every id. */
const NEWEST = "g";

/** A tenant that may have too many events: first they are counted, from the newest on, and then the rest is deleted. */
interface Counting {
  tenantId: string;
  /** The oldest event that was counted. */
  countedTo: string;
  /** How many more the tenant may keep. */
  left: number;
  removed: number;
}

/** How far the work has come. */
interface Place {
  /** The last tenant that is done; "" at the beginning. */
  after: string;
  counting: Counting | null;
}

/** Deletes what exceeds AUDIT_RETENTION_DAYS or AUDIT_MAX_ROWS. */
export const removeOldAudit: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  let place: Place | null = cursor === "" ? { after: "", counting: null } : (JSON.parse(cursor) as Place);
  while (place !== null && !isOver()) {
    place = place.counting === null ? await nextPage(deps, shard, place) : await count(deps, shard, place.counting);
  }
  return place && JSON.stringify(place);
};

/** Deletes what is too old of the next tenants. Returns null after the last one. */
async function nextPage(deps: Deps, shard: number, place: Place): Promise<Place | null> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const tenantIds = await nextTenants(db, place.after);
  const last = tenantIds.at(-1);
  if (last === undefined) return null;
  const before = nowMs - deps.config.auditRetentionDays * DAY_MS;
  const removed = await thenPause(deps.now, () => deleteEventsBefore(db, tenantIds, before));
  if (removed > 0) log("info", "old audit events removed", { shard, count: removed });
  if (removed === DELETED_EVENTS) return place;
  const [tenantId] = await tenantsWithMany(db, tenantIds, nowMs - RECENT_MS);
  if (tenantId === undefined) return { after: last, counting: null };
  const counting = { tenantId, countedTo: NEWEST, left: deps.config.auditMaxRows, removed: 0 };
  return { after: tenantId, counting };
}

/** Counts a page of the tenant's events or, behind those that it may keep, deletes one. */
async function count(deps: Deps, shard: number, counting: Counting): Promise<Place> {
  const db = deps.shards.db(shard);
  const { tenantId, countedTo, left, removed } = counting;
  const done = { after: tenantId, counting: null };
  if (left > 0) {
    const page = Math.min(left, COUNTED_EVENTS);
    const id = await thenPause(deps.now, () => idOfNth(db, tenantId, countedTo, page));
    return id === undefined ? done : { ...done, counting: { ...counting, countedTo: id, left: left - page } };
  }
  const page = await thenPause(deps.now, () => deleteEventsOlderThan(db, tenantId, countedTo));
  if (page === DELETED_EVENTS) return { ...done, counting: { ...counting, removed: removed + page } };
  const inAll = removed + page;
  if (inAll > 0) log("warn", "audit events beyond the cap removed", { shard, tenantId, count: inAll });
  return done;
}
