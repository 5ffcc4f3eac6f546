/** The patterns that a subscription can list in place of event types. */
import { type SQL, sql } from "drizzle-orm";
import { ALL_OPERATIONAL, AUDIT_TYPE } from "../../base/schemas/event-type";
import { ONLY_IF_NAMED, PLATFORM_EVENT_TYPES } from "../../base/schemas/platform-events";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";

const MAX_WILDCARD_PARTS = 8;

/** The patterns that match events of the platform. */
const PLATFORM_PATTERNS = new Set([
  "*",
  ...PLATFORM_EVENT_TYPES.filter((type) => type !== ONLY_IF_NAMED).map((type) => `${type.split(".")[0]}.*`),
]);

const mustBeNamed = (type: SQL, tenantId: SQL): SQL =>
  sql`(${tenantId} = ${PLATFORM_TENANT} AND ${type} = ${ONLY_IF_NAMED})`;

/**
 * The pattern that matches an event type of a tenant, as SQL: "postern.*" for operational events, "*" for all other
 * types but the one of the platform that must be named.
 */
const patternOf = (type: SQL, tenantId: SQL): SQL =>
  sql`CASE WHEN ${type} GLOB ${ALL_OPERATIONAL} THEN ${ALL_OPERATIONAL}
    WHEN ${mustBeNamed(type, tenantId)} THEN ${type} ELSE '*' END`;

/**
 * True if `pattern` matches the event type `type`, or all types that the wildcard `type` matches. "order.*" matches
 * what begins with "order.".
 */
export const covers = (pattern: SQL, type: SQL, tenantId: SQL): SQL =>
  sql`(${pattern} = ${patternOf(type, tenantId)} OR (${pattern} GLOB '*.[*]' AND NOT ${mustBeNamed(type, tenantId)}
    AND substr(${pattern}, 1, length(${pattern}) - 1) = substr(${type}, 1, length(${pattern}) - 1)))`;

/** True if the JSON list `types` of a subscription has the event type `type` of its tenant, or a pattern for it. */
export const listsType = (types: SQL, type: SQL, tenantId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${types}) listed
    WHERE listed.value = ${type} OR ${covers(sql`listed.value`, type, tenantId)})`;

/** Selects the wildcards that match an event type: "order.*" and "order.paid.*" match "order.paid.late". */
export const wildcardsOf = (type: SQL): SQL =>
  sql`WITH RECURSIVE dots(place) AS (SELECT instr(${type}, '.')
    UNION ALL SELECT place + instr(substr(${type}, place + 1), '.') FROM dots
      WHERE instr(substr(${type}, place + 1), '.') > 0 LIMIT ${sql.raw(String(MAX_WILDCARD_PARTS))})
    SELECT substr(${type}, 1, place) || '*' FROM dots WHERE place > 0`;

/** Selects what the fan-out index can list for an event type: the type, the pattern and the wildcards that match it. */
export const entriesFor = (type: SQL, tenantId: SQL): SQL =>
  sql`SELECT ${type} UNION ALL SELECT ${patternOf(type, tenantId)}
    UNION ALL SELECT * FROM (${wildcardsOf(type)}) WHERE NOT ${mustBeNamed(type, tenantId)}`;

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
  WHERE w.tenant_id = ${PLATFORM_TENANT} AND w.event_type IN (${sql.raw(
    [...PLATFORM_EVENT_TYPES, ...PLATFORM_PATTERNS].map((entry) => `'${entry}'`).join(", "),
  )})`;
