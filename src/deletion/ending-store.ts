/** What a deletion ends at once, in the batch that decides it. The rest is left to the purge. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../db/client";
import type { TenantRef } from "../tenants/principal";

/** True once the batch has stored the purge with this id. It is stored only if the deletion is allowed. */
export const hasBegun = (purgeId: string): SQL => sql`EXISTS (SELECT 1 FROM purges WHERE id = ${purgeId})`;

/**
 * Ends everybody's access to the tenants that these purges remove (`purges`: a condition on their rows). Frees the rows that nothing else
 * leads to. `ended` are the tenants.
 */
export function endTenants(purges: SQL, nowMs: number) {
  const tenants = sql`(SELECT subject_id FROM purges WHERE kind = 'tenant' AND ${purges})`;
  const members = sql`(user_id, tenant_id) IN (SELECT user_id, tenant_id FROM memberships WHERE tenant_id IN ${tenants})`;
  return {
    // Before the memberships, through which they are found.
    tenantSessions: sql`DELETE FROM sessions WHERE id IN (SELECT s.id FROM memberships m CROSS JOIN sessions s ON s.user_id = m.user_id
      AND s.tenant_id = m.tenant_id WHERE m.tenant_id IN ${tenants})`,
    tenantKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE revoked_at IS NULL AND ${members}`,
    // An invitation mail may still be in the queue.
    tenantInvitations: sql`UPDATE invitations SET revoked_at = ${nowMs}
      WHERE tenant_id IN ${tenants} AND accepted_at IS NULL AND revoked_at IS NULL`,
    tenantMembers: sql`DELETE FROM memberships WHERE tenant_id IN ${tenants}`,
    ended: rows<TenantRef>(sql`DELETE FROM tenants WHERE id IN ${tenants} RETURNING id AS tenantId, shard`),
  };
}
