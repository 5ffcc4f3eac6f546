/** SQL conditions that several stores use. */
import { type SQL, sql } from "drizzle-orm";
import type { TenantRef } from "../schemas/tenant-ref";

/** True for the subscription `s` with this id if it belongs to the tenant and is not deleted. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0`;

/**
 * Whether an operator holds the sends of this tenant or of all tenants, as SQL. `tenantId` is a qualified column or a
 * value.
 */
export const areSendsHeld = (tenantId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM sends_held sh WHERE sh.tenant_id IN ('', ${tenantId}))`;

/**
 * The replay that made a delivery, as SQL; NULL unless its kind is "replay". The ids of a replay and of its deliveries
 * end alike.
 */
export const replayIdOf = (kind: SQL, subscriptionId: SQL, deliveryId: SQL): SQL => sql`iif(${kind} = 'replay',
  (SELECT r.id FROM replay_jobs r WHERE r.subscription_id = ${subscriptionId}
    AND substr(r.id, 25) = substr(${deliveryId}, 25) LIMIT 1), NULL)`;
