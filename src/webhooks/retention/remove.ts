/** Deletes what is older than RETENTION_DAYS from a delivery database: one piece of work for each table. */
import type { Db } from "../../base/db/client";
import { inPages, type MaintenancePage, thenPause } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { deleteOldEntries } from "../feeds/retention-store";
import { EVENT_MARGIN_MS, IDEMPOTENCY_WINDOW_MS } from "../plane/timing";
import {
  deleteEmptySubscriptions,
  deleteOldAttempts,
  deleteOldEvents,
  deleteOldHours,
  deleteOldKeys,
  deleteOldNumbers,
  deleteOldRetries,
  owedEventsBefore,
} from "./store";

const attemptsBefore = ({ config, now }: Deps): number => now() - config.retentionDays * DAY_MS;
const eventsBefore = (deps: Deps): number => attemptsBefore(deps) - EVENT_MARGIN_MS;

export const removeOldAttempts = deleting("attempts", attemptsBefore, deleteOldAttempts);
export const removeOldHours = deleting("hourly_stats", eventsBefore, deleteOldHours);
export const removeOldKeys = deleting("idempotency_keys", ({ now }) => now() - IDEMPOTENCY_WINDOW_MS, deleteOldKeys);
/** The next event of a key that has not been used for so long has the number 1 again. */
const NUMBERS_KEPT_MS = 400 * DAY_MS;

export const removeOldNumbers = deleting("order_sequences", ({ now }) => now() - NUMBERS_KEPT_MS, deleteOldNumbers);
/** Before their events. */
export const removeOldEntries = deleting("feed_entries", attemptsBefore, deleteOldEntries);
export const removeOldRetries = deleting("manual_retries", eventsBefore, deleteOldRetries);

/**
 * The events with open deliveries are read once for many pages, because that reads the whole outbox. A delivery of so
 * old an event that is created afterwards finds that retention has removed the event.
 */
export const removeOldEvents: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const before = eventsBefore(deps);
  let next: string | null = cursor;
  while (next !== null && !isOver()) {
    const from: string = next;
    const owed = await thenPause(deps, () => owedEventsBefore(deps.shards.db(shard), before, from));
    const page = (db: Db, _: number, after: string, limit: number) => deleteOldEvents(db, owed, after, limit);
    next = await deleting("events", () => before, page)(deps, shard, from, isOver);
    if (next === null && !owed.isLast) next = owed.end;
  }
  return next;
};

export const removeEmptySubscriptions = deleting("subscriptions", attemptsBefore, async (db, before, _, limit) => {
  const count = await deleteEmptySubscriptions(db, before, limit);
  return { count, next: count === limit ? "" : null };
});

/** Deletes the rows of a table from before a time (Unix ms), page by page. */
function deleting(
  table: string,
  timeOf: (deps: Deps) => number,
  page: (db: Db, before: number, cursor: string, limit: number) => Promise<MaintenancePage>,
): PagedMaintenance {
  return async (deps, shard, cursor, isOver) => {
    const [db, before] = [deps.shards.db(shard), timeOf(deps)];
    const { count, next } = await inPages(deps, cursor, isOver, (from, rows) => page(db, before, from, rows));
    if (count > 0) log("info", "old rows removed", { shard, table, count });
    return next;
  };
}
