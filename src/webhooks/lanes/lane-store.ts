/** Moving deliveries into the lane of their subscription. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList } from "../../platform/db/client";

/**
 * The `slot_at` of manual retries and tests in a lane. By this mark an index finds them among many held deliveries.
 */
export const MARK = sql.raw("0");

/** Moves deliveries to the lanes of their subscriptions, except those in progress. */
export async function moveToLanes(
  db: Db,
  keys: readonly { dueAt: number; id: string; subscriptionId: string }[],
): Promise<void> {
  const list = jsonList(keys.map(({ dueAt, id, subscriptionId }) => ({ dueAt, id, subscriptionId })));
  await atomically(db, {
    flagged: sql`UPDATE subscriptions SET has_backlog = 1 WHERE has_backlog = 0
      AND id IN (SELECT value ->> 'subscriptionId' FROM json_each(${list}))`,
    moved: sql`UPDATE outbox SET queue = subscription_id, slot_at = iif(kind IN ('retry', 'test'), ${MARK}, slot_at)
      WHERE queue = '' AND (due_at, id) IN (SELECT value ->> 'dueAt', value ->> 'id' FROM json_each(${list}))
      AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = outbox.subscription_id
        AND a.id = coalesce(outbox.attempt_id, outbox.id))`,
  });
}
