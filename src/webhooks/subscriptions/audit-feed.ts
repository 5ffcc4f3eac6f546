/**
 * Publishes the audit log of tenants that want it as operational events. The log and the subscriptions of a tenant may
 * be in two databases, which share no transaction. So this runs every minute and reads what was recorded since it last
 * ran. The id of an event is derived from the id of its audit event, so that events are not published twice when a run
 * repeats part of an interrupted one.
 */

import type { Db } from "../../base/db/client";
import { firstIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { MINUTE_MS } from "../../base/time";
import { publishedId } from "../../tenancy/audit/published-id";
import { type AuditRow, readAuditRowsFrom } from "../../tenancy/audit/read-store";
import { auditView } from "../../tenancy/audit/view";
import { sendOperational } from "../plane/operational";
import { type AuditFeed, findAuditFeed, nextFeeds, type PublishedAudit, publishAuditEvents } from "./audit-feed-store";

const PAGE_FEEDS = 20;
/** The audit events that one page reads of one tenant in one database. */
const PAGE_EVENTS = 50;
/** An event is written within this time after its id was made, so younger events are read again. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;

/** Publishes the new audit events of a delivery database. The cursor is the last tenant whose feed was read. */
export const publishAudit: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const db = deps.shards.db(shard);
  // Before all reads, which may miss what is recorded while they run.
  const settledMs = deps.now() - SETTLED_AFTER_MS;
  const unfinished: Place[] = [];
  for (let after = cursor; ; ) {
    if (isOver()) return after;
    const feeds = await nextFeeds(db, after, PAGE_FEEDS);
    const last = feeds.at(-1);
    if (!last) break;
    const places = feeds.map((feed) => ({ ...feed, fromId: firstIdAt(feed.publishedTo) }));
    unfinished.push(...(await publishPage(deps, shard, places, settledMs)));
    after = last.tenantId;
  }
  while (unfinished.length > 0 && !isOver()) {
    const page = unfinished.splice(0, PAGE_FEEDS);
    unfinished.push(...(await publishPage(deps, shard, page, settledMs)));
  }
  return unfinished.length > 0 ? "" : null;
};

/** Publishes all that is new of one tenant in a delivery database. */
export async function publishAuditOf(deps: Deps, shard: number, tenantId: string): Promise<void> {
  const settledMs = deps.now() - SETTLED_AFTER_MS;
  const feed = await findAuditFeed(deps.shards.db(shard), tenantId);
  let places: Place[] = feed ? [{ ...feed, fromId: firstIdAt(feed.publishedTo) }] : [];
  while (places.length > 0) places = await publishPage(deps, shard, places, settledMs);
}

/** A feed, and where a run continues with it. */
interface Place extends AuditFeed {
  fromId: string;
}

type TenantRow = AuditRow & { tenantId: string };

/**
 * Publishes the next events of each feed. Everything from before `settledMs` was recorded when the run began. Returns
 * the feeds that have more.
 */
async function publishPage(deps: Deps, shard: number, places: readonly Place[], settledMs: number): Promise<Place[]> {
  const db = deps.shards.db(shard);
  const databases: Db[] = shard === 0 ? [db] : [deps.db, db];
  const pages = await Promise.all(databases.map((database) => readAuditRowsFrom(database, places, PAGE_EVENTS)));
  const read = places.map((place) => ({
    place,
    ...oldestOf(pages.map((page) => page.filter(({ tenantId }) => tenantId === place.tenantId))),
  }));
  const found = read.flatMap(({ rows }) => rows);
  if (found.length === 0) return [];
  const advanced = read.flatMap(({ place, rows, next }) =>
    rows.length === 0
      ? []
      : [{ ...place, publishedTo: Math.min(settledMs, next === null ? settledMs : timeOfId(next)) }],
  );
  sendOperational(deps, shard, await publishAuditEvents(db, found.map(published), advanced));
  return read.flatMap(({ place, next }) => (next === null ? [] : [{ ...place, fromId: next }]));
}

/**
 * Returns the rows of a tenant, oldest first, up to where every database was read. `next` is the last id if there may
 * be more.
 */
function oldestOf(pages: readonly TenantRow[][]): { rows: TenantRow[]; next: string | null } {
  const ends = pages.flatMap((page) => (page.length === PAGE_EVENTS ? (page.at(-1)?.id ?? []) : [])).sort();
  const end = ends[0] ?? null;
  const rows = pages.flat().filter(({ id }) => end === null || id <= end);
  return { rows: rows.sort((a, b) => (a.id < b.id ? -1 : 1)), next: end };
}

const published = (row: TenantRow): PublishedAudit => ({
  id: publishedId(row.id),
  tenantId: row.tenantId,
  at: timeOfId(row.id),
  payload: JSON.stringify(auditView(row)),
  about: row.targetKind === "webhook" ? (row.targetId ?? "") : "",
});
