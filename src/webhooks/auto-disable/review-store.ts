/**
 * The minutely review of the failing subscriptions of one delivery database, across its tenants: page by page, so that
 * others can use the database in between however many subscriptions fail.
 */
import { atomically, type Db, queryFirst } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { type ReviewPage, Transitions } from "./transitions-store";

/** How many failing subscriptions one round trip reviews. */
const PAGE_ROWS = 500;

/** Returns the page of failing subscriptions after a subscription id; null when there is none. */
export async function findPage(db: Db, after: string): Promise<ReviewPage | null> {
  const found = await queryFirst<{ last: string | null }>(db)`SELECT max(subscription_id) AS last
    FROM (SELECT subscription_id FROM episodes WHERE subscription_id > ${after}
      ORDER BY subscription_id LIMIT ${PAGE_ROWS})`;
  const last = found?.last ?? null;
  return last === null ? null : { after, last };
}

/**
 * Moves the failing subscriptions of a page to their states, and disables those that have failed for too long. Returns
 * the operational events that it has written.
 */
export async function reviewPage(
  db: Db,
  page: ReviewPage,
  defaultHours: number | null,
  nowMs: number,
): Promise<{ id: string }[]> {
  const review = new Transitions(page, defaultHours, nowMs);
  const transitions = [
    review.forget(),
    review.failAgain(),
    review.enable(),
    review.recover(),
    review.fail(),
    review.warn(),
    review.disable(),
    review.probe(),
  ].flat();
  const { told } = await repeatable(() => atomically(db, { told: transitions }));
  return told;
}
