/**
 * Deletes audit events that are too old or too many, oldest first, a page at a time, so that others can use the
 * database meanwhile.
 */
import { shardsWithBudgets } from "../../platform/db/call-budget";
import type { Db } from "../../platform/db/client";
import { fromAnywhere } from "../../platform/db/in-turns";
import { unhurried } from "../../platform/db/unhurried";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time";
import {
  COUNTED_EVENTS,
  DELETED_EVENTS,
  deleteEventsBefore,
  deleteEventsOlderThan,
  endsOfTenants,
  idOfNth,
  nextTenants,
  tenantsWithMany,
} from "./retention-store";

/** The time for one database in an hourly run. */
const BUDGET_MS = 2 * MINUTE_MS;
/** The calls to D1 in an hourly run, for all databases. */
const MAX_CALLS = 200;
/**
 * A tenant without events since the last run cannot have become too large. Runs are an hour apart, and one may be
 * missed.
 */
const RECENT_MS = 3 * HOUR_MS;
/** Greater than every id. */
const NEWEST = "g";

/**
 * Deletes what exceeds AUDIT_RETENTION_DAYS or AUDIT_MAX_ROWS from every database. One that fails is logged and
 * skipped. Never throws.
 */
export async function removeOldAudit(deps: Deps): Promise<void> {
  for (const { shard, isSpent } of shardsWithBudgets(deps, MAX_CALLS)) {
    try {
      await removeFrom(deps, shard, isSpent);
    } catch (error) {
      log("error", "audit retention failed", { shard, ...describeError(error) });
    }
  }
}

async function removeFrom(deps: Deps, shard: number, isSpent: () => boolean): Promise<void> {
  const db = deps.shards.db(shard);
  const ends = await endsOfTenants(db);
  if (ends === null) return;
  const startedMs = deps.now();
  const run: Run = { deps, shard, db, startedMs, isOver: () => isSpent() || deps.now() - startedMs >= BUDGET_MS };
  let count = 0;
  const pages = fromAnywhere(
    ends,
    (after) => nextTenants(db, after),
    (tenantId) => tenantId,
  );
  for await (const tenantIds of pages) {
    count += await removeTooOld(run, tenantIds);
    for (const tenantId of await tenantsWithMany(db, tenantIds, startedMs - RECENT_MS)) {
      if (!run.isOver()) await removeBeyondCap(run, tenantId);
    }
    if (run.isOver()) {
      log("warn", "audit retention did not finish", { shard, count });
      return;
    }
  }
  if (count > 0) log("info", "old audit events removed", { shard, count });
}

/** The work on one database in an hourly run. */
interface Run {
  deps: Deps;
  shard: number;
  db: Db;
  /** Unix ms. */
  startedMs: number;
  /** Whether its time or its calls are used up. */
  isOver(): boolean;
}

/** Returns how many events it has removed. */
async function removeTooOld({ deps, db, startedMs, isOver }: Run, tenantIds: readonly string[]): Promise<number> {
  const before = startedMs - deps.config.auditRetentionDays * DAY_MS;
  let count = 0;
  let removed = DELETED_EVENTS;
  while (removed === DELETED_EVENTS && !isOver()) {
    removed = await unhurried(deps.now, () => deleteEventsBefore(db, tenantIds, before));
    count += removed;
  }
  return count;
}

async function removeBeyondCap(run: Run, tenantId: string): Promise<void> {
  const { deps, shard, db, isOver } = run;
  const oldestKept = await idAtCap(run, tenantId);
  if (oldestKept === undefined) return;
  let count = 0;
  let removed = DELETED_EVENTS;
  while (removed === DELETED_EVENTS && !isOver()) {
    removed = await unhurried(deps.now, () => deleteEventsOlderThan(db, tenantId, oldestKept));
    count += removed;
  }
  if (count > 0) log("warn", "audit events beyond the cap removed", { shard, tenantId, count });
}

/**
 * Returns the id of the oldest event that the tenant may keep; undefined if it has fewer or the run is over. Counts
 * page by page.
 */
async function idAtCap({ deps, db, isOver }: Run, tenantId: string): Promise<string | undefined> {
  let id: string | undefined = NEWEST;
  for (let left = deps.config.auditMaxRows; left > 0 && id !== undefined; left -= COUNTED_EVENTS) {
    if (isOver()) return undefined;
    const before: string = id;
    id = await unhurried(deps.now, () => idOfNth(db, tenantId, before, Math.min(left, COUNTED_EVENTS)));
  }
  return id;
}
