/** Which replay made a delivery. */
import { type SQL, sql } from "drizzle-orm";

/**
 * The replay that made a delivery, as SQL; NULL unless its kind is "replay". The ids of a replay and of its deliveries
 * end alike.
 */
export const replayIdOf = (kind: SQL, subscriptionId: SQL, deliveryId: SQL): SQL => sql`iif(${kind} = 'replay',
  (SELECT r.id FROM replay_jobs r WHERE r.subscription_id = ${subscriptionId}
    AND substr(r.id, 25) = substr(${deliveryId}, 25) LIMIT 1), NULL)`;
