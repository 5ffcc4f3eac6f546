/** The API keys that stop working when their owner's membership ends. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../platform/db/client";
import type { Actor } from "../../platform/schemas/actor";
import { auditEach } from "../../tenancy/audit/record-store";
import type { EndedApiKey } from "./ended-keys";

type Reason = "member-removed" | "member-left";

/**
 * Ends the working API keys for which `condition` holds (SQL over the columns of `api_keys`), and records each. Run it
 * while the condition holds. `apiKeys` are those that have ended.
 */
export function endApiKeys(condition: SQL, { actor, reason }: { actor: Actor; reason: Reason }, nowMs: number) {
  const working = sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${nowMs}) AND ${condition}`;
  return {
    recordedKeys: auditEach(
      {
        tenantId: sql`k.tenant_id`,
        action: "api_key.deleted",
        actor,
        target: { kind: "api-key", id: sql`k.id` },
        meta: { reason },
      },
      sql`(SELECT id, tenant_id FROM api_keys WHERE ${working}) k`,
      nowMs,
    ),
    apiKeys: rows<EndedApiKey>(sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE ${working}
      RETURNING id, name, prefix`),
  };
}
