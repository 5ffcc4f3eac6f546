/** Who receives events, for the statements that accept them: with `listed`, they have the events as JSON lists them. */
import { type SQL, sql } from "drizzle-orm";
import { wildcardsOf } from "../plane/patterns-store";

export const TENANT_ID = sql.placeholder("tenantId");
export const NOTHING = sql.raw("");

/**
 * Selects the enabled subscriptions that receive an event type, each once: the index contains no others, and lists none
 * of them twice for a type. Only a type with a dot can match a wildcard.
 */
const wantedBy = (type: SQL, hasDots: boolean) => sql`
  SELECT subscription_id FROM subscription_events WHERE tenant_id = ${TENANT_ID} AND event_type = ${type}
  UNION ALL SELECT subscription_id FROM subscription_events WHERE tenant_id = ${TENANT_ID} AND event_type = '*'${
    hasDots
      ? sql` UNION ALL SELECT subscription_id FROM subscription_events
          WHERE tenant_id = ${TENANT_ID} AND event_type IN (${wildcardsOf(type)})`
      : NOTHING
  }`;

/** Joins the same subscriptions as `s` to the event `e`. Rows of a selection in an IN would be read twice. */
export const receiving = (hasDots: boolean) =>
  sql`subscription_events w ON w.tenant_id = ${TENANT_ID} AND w.event_type IN (${
    hasDots
      ? sql`SELECT e.type UNION ALL SELECT '*' UNION ALL SELECT * FROM (${wildcardsOf(sql.raw("e.type"))})`
      : sql.raw("e.type, '*'")
  }) CROSS JOIN subscriptions s ON s.id = w.subscription_id`;

// The answer has the exact number of deliveries, so each type's subscriptions are counted in the index, once for all of
// its events.
export const countsOf = (hasDots: boolean) => sql`counts AS MATERIALIZED (SELECT t.type, t.events, (SELECT count(*)
  FROM (${wantedBy(sql`t.type`, hasDots)})) AS deliveries
  FROM (SELECT type, count(*) AS events FROM listed GROUP BY type) t)`;
export const WANTED_COUNT = sql`(SELECT coalesce(sum(events * deliveries), 0) FROM counts)`;
/** The receiving subscriptions that have a filter, as the statements are given them. */
export const RECEIVERS = sql.placeholder("receivers");
/**
 * Subscriptions without a filter, by type: read once for each type. What filters let through is given with each event,
 * so that nothing is read for those that they keep back.
 */
export const plainOf = (hasDots: boolean) => sql`, plain AS MATERIALIZED (SELECT t.type, w.subscription_id
  FROM counts t CROSS JOIN subscription_events w ON w.tenant_id = ${TENANT_ID} AND w.event_type IN (SELECT t.type
    UNION ALL SELECT '*'${hasDots ? sql` UNION ALL SELECT * FROM (${wildcardsOf(sql`t.type`)})` : NOTHING})
  WHERE w.subscription_id NOT IN (SELECT value FROM json_each(${RECEIVERS})))`;
