/** The patterns that a subscription can list in place of event types. */
import { type SQL, sql } from "drizzle-orm";
import { ALL_OPERATIONAL, AUDIT_TYPE } from "../../platform/schemas/event-type";
import { ONLY_IF_NAMED, PLATFORM_EVENT_TYPES } from "../../platform/schemas/platform-events";
import { PLATFORM_TENANT } from "../../platform/schemas/tenant-ref";

/**
 * The pattern that matches an event type of a tenant, as SQL: "postern.*" for operational events, "*" for all other
 * types but the one of the platform that must be named.
 */
export const patternOf = (type: SQL, tenantId: SQL): SQL =>
  sql`CASE WHEN ${type} GLOB ${ALL_OPERATIONAL} THEN ${ALL_OPERATIONAL} WHEN ${tenantId} = ${PLATFORM_TENANT}
    AND ${type} = ${ONLY_IF_NAMED} THEN ${type} ELSE '*' END`;

/**
 * True if the JSON list `types` of a subscription has the event type `type` of its tenant, or the pattern that matches
 * it.
 */
export const listsType = (types: SQL, type: SQL, tenantId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${types}) listed WHERE listed.value IN (${type}, ${patternOf(type, tenantId)}))`;

/**
 * The id of the subscription that an operational event with this payload is about, as SQL; "" for none. It never
 * receives the event.
 */
export const aboutOf = (payload: SQL): SQL => sql`coalesce(${payload} ->> '$.webhookId',
  iif(${payload} ->> '$.target.kind' = 'webhook', ${payload} ->> '$.target.id', ''), '')`;

/** The ids of the subscriptions of a tenant that receive its audit log, as SQL. */
export const readersOfAudit = (tenantId: SQL | string): SQL => sql`SELECT w.subscription_id FROM subscription_events w
  WHERE w.tenant_id = ${tenantId} AND w.event_type IN (${AUDIT_TYPE}, ${ALL_OPERATIONAL})`;

/** The subscriptions that receive events of the platform, as SQL. */
export const READERS_OF_PLATFORM = sql`SELECT w.subscription_id FROM subscription_events w
  WHERE w.tenant_id = ${PLATFORM_TENANT} AND w.event_type IN ('*', ${sql.raw(
    PLATFORM_EVENT_TYPES.map((type) => `'${type}'`).join(", "),
  )})`;
