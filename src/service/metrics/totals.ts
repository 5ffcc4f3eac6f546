/** Counts of all subscriptions of a delivery database, which its upkeep adds up page by page every hour. */
import { MaintenancePages } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { lastFullHour } from "../../base/time";
import { addUp } from "../../webhooks/plane/latency";
import { noteTotals, readSubscriptions, type SubscriptionCounts, type Totals } from "./store";

/** How far the counting has come. */
interface Place {
  /** The start of the hour whose attempts are counted, Unix ms. */
  hour: number;
  /** The last subscription that was counted. */
  after: string;
  totals: SubscriptionCounts | null;
}

const start = ({ now }: Deps): Place => ({ hour: lastFullHour(now()), after: "", totals: null });

/** Counts the subscriptions of a delivery database, and their attempts in the last full hour. */
export const countTotals: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const { isDone, place } = await count(
    deps,
    shard,
    cursor === "" ? start(deps) : (JSON.parse(cursor) as Place),
    isOver,
  );
  return isDone ? null : JSON.stringify(place);
};

/**
 * As `countTotals`, for a database that the hourly cron has not counted yet: what could be counted until `isOver`. Null
 * without a subscription.
 */
export async function countAtOnce(deps: Deps, shard: number, isOver: () => boolean): Promise<Totals | null> {
  const { hour, totals } = (await count(deps, shard, start(deps), isOver)).place;
  return totals && { hour, ...totals };
}

async function count(deps: Deps, shard: number, from: Place, isOver: () => boolean) {
  const pages = new MaintenancePages(deps);
  let place = from;
  while (!isOver()) {
    const { hour, after, totals } = place;
    const page = await pages.next((limit) =>
      readSubscriptions(deps.shards.db(shard), hour, { after, limit }, deps.now()),
    );
    const { rows, last, ...counts } = page;
    const sum = totals === null ? counts : sumOf(totals, counts);
    if (last === null) {
      await noteTotals(deps.db, shard, { hour, ...sum });
      return { isDone: true, place: { ...place, totals: sum } };
    }
    place = { hour, after: last, totals: sum };
  }
  return { isDone: false, place };
}

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
