/** Operational events that are about the tenant, and not about one of its subscriptions. */
import { sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { ALL_OPERATIONAL, type TenantEventType } from "../../base/schemas/event-type";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { writeBatch } from "./write";

/** Writes an event if a subscription of the tenant wants it. Returns its id. Throws TenantIsMoving. */
export async function insertTenantEvent(
  deps: Pick<Deps, "shards">,
  tenant: TenantRef,
  { type, payload }: { type: TenantEventType; payload: string },
  nowMs: number,
): Promise<{ id: string }[]> {
  const wanted = sql`(SELECT count(DISTINCT w.subscription_id) FROM subscription_events w
    WHERE w.tenant_id = ${tenant.tenantId} AND w.event_type IN (${type}, ${ALL_OPERATIONAL}))`;
  const { published } = await writeBatch(deps, tenant, {
    published: rows<{
      id: string;
    }>(sql`INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
      SELECT ${newId()}, ${tenant.tenantId}, ${type}, ${payload}, ${wanted}, '', ${nowMs} WHERE ${wanted} > 0
      RETURNING id`),
  });
  return published;
}
