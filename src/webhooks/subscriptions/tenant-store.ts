/** Disabling or ending all subscriptions of a tenant whose owner is gone. */
import { sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditWebhooks } from "../../tenancy/audit/record-store";
import { assign, disableWhere, END_LANE } from "../plane/lane-store";
import { writeBatch } from "../plane/write";
import { mirrorChange } from "./mirror";

/** Disables every subscription of a tenant, and removes them from the fan-out index. */
export async function disableSubscriptionsOfTenant(deps: Deps, tenant: ActingIn, nowMs: number): Promise<void> {
  const enabled = sql`subscriptions s WHERE s.tenant_id = ${tenant.tenantId} AND s.is_deleted = 0 AND s.enabled = 1`;
  await writeBatch(deps, tenant, {
    recorded: auditWebhooks("webhook.disabled", tenant.actor, enabled, nowMs, sql`'reason', 'taken-over'`),
    disabled: disableWhere(
      { reason: null, atMs: nowMs, holds: sql`0` },
      sql`s.tenant_id = ${tenant.tenantId} AND s.is_deleted = 0`,
    ),
    unindexed: sql`DELETE FROM subscription_events WHERE tenant_id = ${tenant.tenantId}`,
  });
  await mirrorChange(deps, tenant);
}

/**
 * Marks every subscription of a tenant as deleted, so that nothing more is sent to it. Leaves the fan-out index, which
 * can be long.
 */
export async function endSubscriptionsOfTenant({ shards }: Deps, tenant: TenantRef, nowMs: number): Promise<void> {
  await query(shards.db(tenant.shard))`UPDATE subscriptions
    SET is_deleted = 1, secret_sealed = '', secret_digest = '', headers_sealed = NULL,
    ${assign(END_LANE)}, version = version + 1, updated_at = ${nowMs}
    WHERE tenant_id = ${tenant.tenantId} AND is_deleted = 0`;
}
