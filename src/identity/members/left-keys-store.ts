/** The API keys of a tenant that somebody has made. They belong to the tenant, and work on without their maker. */
import { sql } from "drizzle-orm";
import { query } from "../../base/db/client";
import { firstIdAtSql } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { EndedApiKey } from "./ended-keys";

/**
 * The working ones, newest first. The audit log says who has made a key, at the time when it was made; a key that is
 * older than the log has no known maker.
 */
export async function readTenantKeysBy(
  { db }: Pick<Deps, "db">,
  { tenantId, userId }: { tenantId: string; userId: string },
  nowMs: number,
): Promise<(EndedApiKey & { createdAt: number })[]> {
  return query<EndedApiKey & { createdAt: number }>(db)`SELECT k.id, k.name, k.prefix, k.created_at AS createdAt
    FROM api_keys k WHERE k.user_id = '' AND k.tenant_id = ${tenantId} AND k.owner = 'tenant' AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})
      AND EXISTS (SELECT 1 FROM audit_events a WHERE a.tenant_id = k.tenant_id
        AND a.id >= ${firstIdAtSql(sql`k.created_at - 60000`)} AND a.id < ${firstIdAtSql(sql`k.created_at + 60000`)}
        AND a.action = 'api_key.created' AND a.target_id = k.id AND a.actor_id = ${userId})
    ORDER BY k.id DESC`;
}
