/**
 * The revision of what publishing in a tenant obeys: its event types, its mode and the filters of its subscriptions.
 * Each change raises it in the control plane first, and then in the batch of the change. So whoever publishes learns of
 * the change, and a crash between costs one more read.
 */
import { type SQL, sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";

type Tenant = Pick<TenantRef, "tenantId">;

/** Raises the revision in the control plane, before a change. */
export async function raiseRevision({ db }: Deps, { tenantId }: Tenant): Promise<void> {
  await query(db)`UPDATE tenants SET rules_revision = coalesce(rules_revision, 0) + 1 WHERE id = ${tenantId}`;
}

/**
 * The statement that raises the revision in the batch of a change, for each row of `condition` (SQL, from the word FROM
 * or WHERE on).
 */
export const nextRevision = ({ tenantId }: Tenant, condition: SQL = sql`WHERE true`): SQL =>
  sql`INSERT INTO publish_rules (tenant_id, revision, mode) SELECT ${tenantId}, 1, 'open' ${condition}
    ON CONFLICT (tenant_id) DO UPDATE SET revision = revision + 1`;
