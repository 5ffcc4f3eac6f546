/** The API keys that stop working when a membership, an account or a tenant ends. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { Actor } from "../../base/schemas/actor";
import { auditEach } from "../../tenancy/audit/record-store";
import type { EndedApiKey } from "./ended-keys";

type Reason = "member-removed" | "member-left" | "account-deleted";

/** A key that has ended, and where. */
export type EndedKeyOf = EndedApiKey & { tenantId: string };

/**
 * Ends the working API keys for which `condition` holds (SQL over the columns of `api_keys`), and records each. Run it
 * while the condition holds. `apiKeys` are those that have ended.
 */
export function endApiKeys(condition: SQL, { actor, reason }: { actor: Actor; reason: Reason }, nowMs: number) {
  return {
    recordedKeys: auditEach(
      {
        tenantId: sql`k.tenant_id`,
        action: "api_key.deleted",
        actor,
        target: { kind: "api-key", id: sql`k.id` },
        meta: { reason },
      },
      sql`(SELECT id, tenant_id FROM api_keys WHERE ${isWorking(nowMs)} AND ${condition}) k`,
      nowMs,
    ),
    apiKeys: endUnrecorded(condition, nowMs),
  };
}

/** The same without a record, for tenants whose log ends with them. */
export const endUnrecorded = (condition: SQL, nowMs: number) =>
  rows<EndedKeyOf>(sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE ${isWorking(nowMs)} AND ${condition}
    RETURNING id, name, prefix, tenant_id AS tenantId`);

/**
 * Holds for the keys `k` of a tenant itself, and of its members. They are found by the tenant: most of 100,000 members
 * have none.
 */
export const ofTenantAndMembers = (tenantId: SQL | string): SQL => sql`k.tenant_id = ${tenantId} AND (k.user_id = ''
  OR EXISTS (SELECT 1 FROM memberships km WHERE km.tenant_id = k.tenant_id AND km.user_id = k.user_id))`;

/** True for an API key that is neither revoked nor expired. */
const isWorking = (nowMs: number): SQL => sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${nowMs})`;
