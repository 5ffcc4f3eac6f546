/** Counts of all subscriptions of a delivery database, which its upkeep adds up page by page every hour. */
import { MaintenancePages } from "../../base/db/paged-maintenance";
import type { PagedMaintenance } from "../../base/maintenance";
import { lastFullHour } from "../../base/time";
import { addUp } from "../../webhooks/plane/latency";
import { noteTotals, readSubscriptions, type SubscriptionCounts } from "./store";

/** How far the counting has come. */
interface Place {
  /** The start of the hour whose attempts are counted, Unix ms. */
  hour: number;
  /** The last subscription that was counted. */
  after: string;
  totals: SubscriptionCounts | null;
}

/** Counts the subscriptions of a delivery database, and their attempts in the last full hour. */
export const countTotals: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const db = deps.shards.db(shard);
  const pages = new MaintenancePages(deps);
  let place: Place =
    cursor === "" ? { hour: lastFullHour(deps.now()), after: "", totals: null } : (JSON.parse(cursor) as Place);
  while (!isOver()) {
    const { hour, after, totals } = place;
    const page = await pages.next((limit) => readSubscriptions(db, hour, { after, limit }, deps.now()));
    const { rows, last, ...counts } = page;
    const sum = totals === null ? counts : sumOf(totals, counts);
    if (last === null) {
      await noteTotals(deps.db, shard, { hour, ...sum });
      return null;
    }
    place = { hour, after: last, totals: sum };
  }
  return JSON.stringify(place);
};

const sumOf = (a: SubscriptionCounts, b: SubscriptionCounts): SubscriptionCounts => ({
  healthy: a.healthy + b.healthy,
  failing: a.failing + b.failing,
  slow: a.slow + b.slow,
  disabled: a.disabled + b.disabled,
  paused: a.paused + b.paused,
  succeeded: a.succeeded + b.succeeded,
  failed: a.failed + b.failed,
  histogram: [...addUp([a.histogram, b.histogram])],
});
