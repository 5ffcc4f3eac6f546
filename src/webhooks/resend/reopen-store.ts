/** Puts deliveries whose last attempt failed back into the outbox, under their old ids. */

import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import type { OutboxKey } from "../../base/messages";
import { insertDeliveries, KEY_COLUMNS, MAIN } from "../plane/outbox-store";
import { PAYLOAD_BYTES_OF_E } from "../plane/payload-store";
import { NEXT_QUEUE } from "../plane/predicates-store";

/** A new attempt id with the time `nowMs` for each row, as SQL. */
const attemptIdSql = (nowMs: number) => sql`${firstIdAt(nowMs)} || '-7' || substr(lower(hex(randomblob(2))), 2) || '-8'
  || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6)))`;

/**
 * Returns the statements that reopen the deliveries in `failed`: a query with the columns `attempt_id`, `delivery_id`,
 * `event_id` and `kind` of last attempts of one subscription. Run them in this order, before anything that changes what
 * `failed` returns.
 */
export const reopenStatements = (failed: SQL, subscriptionId: string, nowMs: number) => ({
  opened: rows<OutboxKey>(
    sql`${insertDeliveries(
      {
        queue: NEXT_QUEUE,
        dueAt: nowMs,
        id: sql`f.delivery_id`,
        eventId: sql`e.id`,
        kind: sql`f.kind`,
        bytes: PAYLOAD_BYTES_OF_E,
        attemptId: attemptIdSql(nowMs),
      },
      sql`FROM (${failed}) f CROSS JOIN events e ON e.id = f.event_id CROSS
        JOIN subscriptions s ON s.id = ${subscriptionId}`,
    )} RETURNING ${KEY_COLUMNS}`,
  ),
  linked: sql`UPDATE attempts SET next_id = o.attempt_id FROM (${failed}) f CROSS JOIN outbox o
      ON o.queue IN (${MAIN}, ${subscriptionId}) AND o.due_at = ${nowMs} AND o.id = f.delivery_id
    WHERE attempts.subscription_id = ${subscriptionId} AND attempts.id = f.attempt_id`,
});
