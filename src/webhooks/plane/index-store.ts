/** The fan-out index: which subscriptions of a tenant receive an event type. */
import { type SQL, sql } from "drizzle-orm";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { beginPlatformFeed } from "./begin-store";
import { isLive } from "./live-store";
import { covers, readersOfAudit } from "./patterns-store";
import { RECEIVES_EVENTS } from "./predicates-store";

/**
 * Adds the stored subscription to the fan-out index under each of its types, if it is enabled or its deliveries are
 * held. What a listed pattern covers is left out, so that an event has one delivery: "*" covers all types except those
 * of operational events, which "postern.*" covers; "order.*" covers "order.paid".
 */
const indexEventTypes = (tenant: TenantRef, id: string): SQL => sql`
  INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
  SELECT s.tenant_id, t.value, s.id FROM subscriptions s CROSS JOIN json_each(s.events) t
  WHERE ${isLive(tenant, id)} AND ${RECEIVES_EVENTS}
    AND NOT EXISTS (SELECT 1 FROM json_each(s.events) pattern
      WHERE ${covers(sql`pattern.value`, sql`t.value`, sql`s.tenant_id`)} AND pattern.value <> t.value)
  ON CONFLICT DO NOTHING`;

/** Like `indexEventTypes`, and begins to publish the audit log of the tenant, or the events of the platform, if a
 * subscription receives them. */
export const indexSubscription = (tenant: TenantRef, id: string, nowMs: number): SQL[] => [
  indexEventTypes(tenant, id),
  sql`INSERT INTO audit_feeds (tenant_id, published_to) SELECT ${tenant.tenantId}, ${nowMs} WHERE
    EXISTS (${readersOfAudit(tenant.tenantId)})
    ON CONFLICT DO NOTHING`,
  ...(tenant.tenantId === PLATFORM_TENANT ? [beginPlatformFeed(nowMs)] : []),
];

/**
 * Removes the subscription `s` from the fan-out index if `condition` holds. Run it before its stored types change: they
 * key the rows.
 */
export const unindexEventTypes = ({ tenantId }: TenantRef, id: string, condition: SQL = sql`true`) => sql`
  DELETE FROM subscription_events WHERE tenant_id = ${tenantId} AND subscription_id = ${id} AND event_type IN (
    SELECT t.value FROM subscriptions s CROSS JOIN json_each(s.events) t WHERE s.id = ${id}
      AND s.tenant_id = ${tenantId} AND ${condition})`;

/**
 * Removes those of the subscriptions `ids` (SQL) that receive no events any more from the fan-out index. Run it after
 * they are disabled.
 */
export const unindexDisabled = (ids: SQL): SQL => sql`
  DELETE FROM subscription_events WHERE (tenant_id, event_type, subscription_id) IN (
    SELECT s.tenant_id, t.value, s.id FROM subscriptions s CROSS JOIN json_each(s.events) t
    WHERE s.id IN (${ids}) AND NOT ${RECEIVES_EVENTS})`;
