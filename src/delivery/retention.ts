/** Old logs and events go, a small batch at a time, so that a tenant with a million rows holds up nobody. */
import type { Deps } from "../deps";
import { log } from "../log";
import { type AgedTable, deleteAged } from "./retention-store";

const DAY_MS = 86_400_000;
/** An attempt may come this much later than its delivery or event, and its log row needs the event. */
const MARGIN_MS = 3_600_000;
/** Bounds one run (D1 takes 1,000 statements an invocation); the next comes an hour later. */
const MAX_PAGES = 200;

/** Removes what is older than RETENTION_DAYS, attempts first: an event outlives its log rows. */
export async function removeOld(deps: Deps): Promise<void> {
  const cutoff = deps.now() - deps.config.retentionDays * DAY_MS;
  const removed = { attempts: 0, deliveries: 0, events: 0, hourly_stats: 0 };
  let pages = MAX_PAGES;
  for (const [table, before] of [
    ["attempts", cutoff],
    ["deliveries", cutoff - MARGIN_MS],
    ["events", cutoff - MARGIN_MS],
    ["hourly_stats", cutoff - MARGIN_MS],
  ] satisfies [AgedTable, number][]) {
    let afterRow: number | null = 0;
    while (afterRow !== null && pages > 0) {
      pages -= 1;
      const page = await deleteAged(deps, table, before, afterRow);
      removed[table] += page.removed;
      afterRow = page.last;
    }
    if (pages === 0) break;
  }
  if (Object.values(removed).some((count) => count > 0)) log("info", "old rows removed", removed);
}
