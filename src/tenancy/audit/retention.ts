/** Deletes audit events that are too old or too many, oldest first, a page at a time, tenant by tenant. */

import type { Db } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import { SELDOM_ROWS_PER_SECOND, thenPause } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { tellOwners } from "../tenants/owner-notices";
import {
  countPage,
  DELETED_EVENTS,
  deleteEventsBefore,
  deletePageOfClass,
  type EventClass,
  idOfNth,
  nextTenants,
  noteTrimmed,
  TENANTS_AT_ONCE,
  tenantsWithMany,
} from "./retention-store";

/**
 * A tenant without events since the last run cannot have become too large. Runs are a day apart, and one may be missed.
 */
const RECENT_MS = 3 * DAY_MS;
/** Greater than every id. */
const NEWEST = "g";

/** The cap deletes no event that is younger. */
const YOUNGEST_DELETED_MS = 90 * DAY_MS;

/** A tenant whose events are being counted, class by class, from the newest on. */
interface Counting {
  kind: "count";
  tenantId: string;
  /** The oldest event that was counted. */
  countedTo: string;
  /** How many more events of each class the tenant may keep. */
  left: Record<EventClass, number>;
  /** The oldest event of each class that it keeps, of classes that have too many. */
  keptFrom: Partial<Record<EventClass, string>>;
}

/** A tenant with too many events of a class, whose oldest are being deleted. */
interface Trimming {
  kind: "trim";
  tenantId: string;
  keptFrom: Partial<Record<EventClass, string>>;
  /** The last event that was looked at. */
  after: string;
  removed: number;
}

/** How far the work has come. */
interface Place {
  /** The last tenant that is done; "" at the beginning. */
  after: string;
  counting: Counting | Trimming | null;
}

/** Deletes what exceeds AUDIT_RETENTION_DAYS or AUDIT_MAX_ROWS. */
export const removeOldAudit: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  let place: Place | null = cursor === "" ? { after: "", counting: null } : (JSON.parse(cursor) as Place);
  while (place !== null && !isOver()) {
    const { counting }: Place = place;
    if (counting === null) place = await nextPage(deps, shard, place, isOver);
    else if (counting.kind === "trim") place = await trim(deps, shard, counting);
    else place = await count(deps, shard, counting);
  }
  return place && JSON.stringify(place);
};

/** Deletes what is too old of the next tenants. Returns null after the last one. */
async function nextPage(deps: Deps, shard: number, place: Place, isOver: () => boolean): Promise<Place | null> {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const oldBefore = nowMs - deps.config.auditRetentionDays * DAY_MS;
  const bounds = { oldBefore, cappedBefore: nowMs - YOUNGEST_DELETED_MS, recentFrom: nowMs - RECENT_MS };
  const { due, last } = await thenPause(deps, () => nextTenants(db, place.after, bounds));
  if (last === null) return null;
  const old = due.filter(({ hasOld }) => hasOld).map(({ tenantId }) => tenantId);
  if (old.length > 0 && !(await deleteAllOld(deps, shard, old, oldBefore, isOver))) return place;
  const growing = due.filter(({ isGrowing }) => isGrowing).map(({ tenantId }) => tenantId);
  const tenantId = await firstWithMany(deps, db, growing);
  if (tenantId === undefined) return { after: last, counting: null };
  const left = { webhook: deps.config.auditMaxRows, other: deps.config.auditMaxRows };
  return { after: tenantId, counting: { kind: "count", tenantId, countedTo: NEWEST, left, keptFrom: {} } };
}

/** Deletes what is older than `before` (Unix ms), until the turn is over. Returns whether all of it is gone. */
async function deleteAllOld(
  deps: Deps,
  shard: number,
  tenantIds: readonly string[],
  before: number,
  isOver: () => boolean,
): Promise<boolean> {
  const db = deps.shards.db(shard);
  let [removed, count] = [0, 0];
  do {
    removed = await thenPause(deps, () => deleteEventsBefore(db, tenantIds, before), SELDOM_ROWS_PER_SECOND);
    count += removed;
  } while (removed === DELETED_EVENTS && !isOver());
  if (count > 0) log("info", "old audit events removed", { shard, count });
  return removed < DELETED_EVENTS;
}

/** Returns the first of these tenants that has more than a page of events. */
async function firstWithMany(deps: Deps, db: Db, tenantIds: readonly string[]): Promise<string | undefined> {
  for (let from = 0; from < tenantIds.length; from += TENANTS_AT_ONCE) {
    const some = tenantIds.slice(from, from + TENANTS_AT_ONCE);
    const [tenantId] = await thenPause(deps, () => tenantsWithMany(db, some));
    if (tenantId !== undefined) return tenantId;
  }
  return undefined;
}

const CLASSES = ["webhook", "other"] as const satisfies readonly EventClass[];

/** Counts a page of the tenant's events. Goes on until both classes have too many, or all events are counted. */
async function count(deps: Deps, shard: number, counting: Counting): Promise<Place> {
  const db = deps.shards.db(shard);
  const { tenantId, countedTo, left } = counting;
  const { counts, oldest, isLast } = await thenPause(deps, () => countPage(db, tenantId, countedTo));
  const keptFrom = { ...counting.keptFrom };
  for (const eventClass of CLASSES) {
    if (keptFrom[eventClass] !== undefined || counts[eventClass] <= left[eventClass] || oldest === null) continue;
    const range = { eventClass, before: countedTo, oldest };
    // The class may have no event in this page that it keeps.
    const id =
      left[eventClass] === 0 ? countedTo : await thenPause(deps, () => idOfNth(db, tenantId, range, left[eventClass]));
    if (id !== null) keptFrom[eventClass] = id;
  }
  const isCounted = isLast || oldest === null || CLASSES.every((eventClass) => keptFrom[eventClass] !== undefined);
  if (!isCounted) {
    const stillLeft = { webhook: left.webhook - counts.webhook, other: left.other - counts.other };
    return { after: tenantId, counting: { ...counting, countedTo: oldest, left: stillLeft, keptFrom } };
  }
  if (Object.keys(keptFrom).length === 0) return { after: tenantId, counting: null };
  return { after: tenantId, counting: { kind: "trim", tenantId, keptFrom, after: "", removed: 0 } };
}

/** Deletes a page of a class of which there are too many. */
async function trim(deps: Deps, shard: number, trimming: Trimming): Promise<Place> {
  const { tenantId, keptFrom, after, removed } = trimming;
  const eventClass = CLASSES.find((each) => keptFrom[each] !== undefined);
  const from = eventClass && keptFrom[eventClass];
  if (eventClass === undefined || from === undefined) {
    if (removed > 0) await reportTrimmed(deps, shard, tenantId, removed);
    return { after: tenantId, counting: null };
  }
  const [before = from] = [from, firstIdAt(deps.now() - YOUNGEST_DELETED_MS)].sort();
  const db = deps.shards.db(shard);
  const range = { eventClass, after, before };
  const page = await thenPause(deps, () => deletePageOfClass(db, tenantId, range), SELDOM_ROWS_PER_SECOND);
  const next = { ...trimming, removed: removed + page.removed };
  if (page.last !== null) return { after: tenantId, counting: { ...next, after: page.last } };
  const { [eventClass]: _done, ...others } = keptFrom;
  return { after: tenantId, counting: { ...next, after: "", keptFrom: others } };
}

async function reportTrimmed(deps: Deps, shard: number, tenantId: string, count: number): Promise<void> {
  log("warn", "audit events beyond the cap removed", { shard, tenantId, count });
  if (await noteTrimmed(deps, tenantId, deps.now())) tellOwners(deps, tenantId, { what: "auditTrimmed" });
}
