/** What the delivery database knows about the limits of subscriptions. Spans tenants, like a batch of the queue. */
import { sql } from "drizzle-orm";
import { atomically, type Db } from "../../platform/db/client";
import { repeatable } from "../../platform/db/faults";
import { isoSql, publishOperational } from "../subscriptions/operational-store";

/** The limits of the subscription `s` as a text, as SQL. */
export const LIMITS_TEXT = sql.raw(
  "json_array(s.options ->> '$.rateLimit.limit', s.options ->> '$.rateLimit.per', s.options ->> '$.maxConcurrent')",
);

/**
 * Records `lastStartMs`, the last far start that a delivery waits for. If all earlier far starts have passed, it also
 * publishes that the subscription is throttled, and returns the id of that event if anybody wants it. Does nothing if
 * the limits have changed.
 */
export async function markThrottled(
  db: Db,
  { subscriptionId, limitsText, lastStartMs }: { subscriptionId: string; limitsText: string; lastStartMs: number },
  nowMs: number,
): Promise<{ id: string }[]> {
  const isSame = sql`s.id = ${subscriptionId} AND s.is_deleted = 0 AND ${LIMITS_TEXT} = ${limitsText}`;
  const { published } = await repeatable(() =>
    atomically(db, {
      // Before `marked`, because it compares with the stored value.
      published: publishOperational(
        "postern.webhook.throttled",
        sql`subscriptions s WHERE ${isSame} AND s.throttled_until < ${nowMs}`,
        nowMs,
        { data: sql`'lastSlotAt', ${isoSql(lastStartMs)}` },
      ),
      marked: sql`UPDATE subscriptions AS s SET throttled_until = ${lastStartMs} WHERE ${isSame}
        AND s.throttled_until < ${lastStartMs}`,
    }),
  );
  return published;
}
