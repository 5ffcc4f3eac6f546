/** Deletes audit events that are too old or too many, oldest first, a page at a time, so that the other users of the database do not wait. */
import type { Db } from "../db/client";
import { unhurried } from "../db/unhurried";
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time";
import {
  deleteEventsBefore,
  deleteEventsOlderThan,
  idOfNth,
  nextTenants,
  PAGE_EVENTS,
  tenantsWithMany,
} from "./retention-store";

/** The time for one database in an hourly run. */
const BUDGET_MS = 2 * MINUTE_MS;
/** A tenant without events since the last run cannot have become too large. Runs are an hour apart, and one may be missed. */
const RECENT_MS = 3 * HOUR_MS;
/** Greater than every id. */
const NEWEST = "g";

/** Deletes what is beyond AUDIT_RETENTION_DAYS and AUDIT_MAX_ROWS from every database. One that fails is logged and skipped. Never throws. */
export async function removeOldAudit(deps: Deps): Promise<void> {
  for (const shard of deps.shards.numbers) {
    try {
      await removeFrom(deps, shard);
    } catch (error) {
      log("error", "audit retention failed", { shard, ...describeError(error) });
    }
  }
}

async function removeFrom(deps: Deps, shard: number): Promise<void> {
  const { auditRetentionDays } = deps.config;
  const db = deps.shards.db(shard);
  const startedMs = deps.now();
  let count = 0;
  let tenantIds = await nextTenants(db, "");
  while (tenantIds.length > 0) {
    if (deps.now() - startedMs >= BUDGET_MS) {
      log("warn", "audit retention did not finish", { shard, count });
      return;
    }
    const page = tenantIds;
    const removed = await unhurried(deps.now, () =>
      deleteEventsBefore(db, page, startedMs - auditRetentionDays * DAY_MS),
    );
    count += removed;
    if (removed === PAGE_EVENTS) continue;
    for (const tenantId of await tenantsWithMany(db, page, startedMs - RECENT_MS)) {
      await removeBeyondCap(deps, shard, tenantId);
    }
    tenantIds = await nextTenants(db, page.at(-1) ?? "");
  }
  if (count > 0) log("info", "old audit events removed", { shard, count });
}

async function removeBeyondCap(deps: Deps, shard: number, tenantId: string): Promise<void> {
  const db = deps.shards.db(shard);
  const oldestKept = await idAtCap(deps, db, tenantId);
  if (oldestKept === undefined) return;
  let count = 0;
  let removed = PAGE_EVENTS;
  while (removed === PAGE_EVENTS) {
    removed = await unhurried(deps.now, () => deleteEventsOlderThan(db, tenantId, oldestKept));
    count += removed;
  }
  if (count > 0) log("warn", "audit events beyond the cap removed", { shard, tenantId, count });
}

/** Returns the id of the oldest event that the tenant may keep; undefined when it has fewer. Counts page by page. */
async function idAtCap(deps: Deps, db: Db, tenantId: string): Promise<string | undefined> {
  let id: string | undefined = NEWEST;
  for (let left = deps.config.auditMaxRows; left > 0 && id !== undefined; left -= PAGE_EVENTS) {
    const before: string = id;
    id = await unhurried(deps.now, () => idOfNth(db, tenantId, before, Math.min(left, PAGE_EVENTS)));
  }
  return id;
}
