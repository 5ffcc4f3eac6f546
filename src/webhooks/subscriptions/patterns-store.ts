/** The patterns that a subscription can list in place of event types. */
import { type SQL, sql } from "drizzle-orm";
import { ALL_OPERATIONAL, AUDIT_TYPE } from "../../platform/schemas/event-type";

/** The pattern that matches an event type, as SQL: "postern.*" for operational events, "*" for all other types. */
export const patternOf = (type: SQL): SQL => sql`iif(${type} GLOB ${ALL_OPERATIONAL}, ${ALL_OPERATIONAL}, '*')`;

/** True if the JSON list `types` of a subscription has the event type `type`, or the pattern that matches it. */
export const listsType = (types: SQL, type: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${types}) listed WHERE listed.value IN (${type}, ${patternOf(type)}))`;

/**
 * The id of the subscription that an operational event with this payload is about, as SQL; "" for none. It never
 * receives the event.
 */
export const aboutOf = (payload: SQL): SQL => sql`coalesce(${payload} ->> '$.webhookId',
  iif(${payload} ->> '$.target.kind' = 'webhook', ${payload} ->> '$.target.id', ''), '')`;

/** The ids of the subscriptions of a tenant that receive its audit log, as SQL. */
export const readersOfAudit = (tenantId: SQL | string): SQL => sql`SELECT w.subscription_id FROM subscription_events w
  WHERE w.tenant_id = ${tenantId} AND w.event_type IN (${AUDIT_TYPE}, ${ALL_OPERATIONAL})`;
