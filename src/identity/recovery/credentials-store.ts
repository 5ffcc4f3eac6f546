/** What opens an account or acts for it besides the password: API keys, passkeys and identities, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import type { ListedCredential } from "../../base/mail/job";
import type { RequestOrigin } from "../../base/schemas/actor";
import { auditEach, holderOfToken, type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";

/** A mail lists no more. */
const MAX_LISTED = 30;

/** Lists the working credentials of a user of which `condition` holds, newest first. `condition` gets `created_at`. */
export const listCredentials = (
  userId: string,
  condition: (createdAt: SQL) => SQL,
  nowMs: number,
): Rows<ListedCredential> =>
  rows(sql`SELECT kind, name, place, scopes FROM (
    SELECT 'api-key' AS kind, k.name, k.prefix || ' in ' || t.name AS place, k.scopes, k.created_at
      FROM api_keys k JOIN tenants t ON t.id = k.tenant_id
      WHERE k.user_id = ${userId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})
        AND ${condition(sql`k.created_at`)}
    UNION ALL SELECT 'passkey', p.name, '', '[]', p.created_at FROM passkeys p
      WHERE p.user_id = ${userId} AND ${condition(sql`p.created_at`)}
    UNION ALL SELECT 'identity', i.provider, coalesce(i.email, ''), '[]', i.created_at FROM identities i
      WHERE i.user_id = ${userId} AND ${condition(sql`i.created_at`)})
    ORDER BY created_at DESC LIMIT ${MAX_LISTED}`);

/**
 * Ends the credentials of a user of which `condition` holds, and records each. `reason` goes into the audit log.
 * `listed` returns them: the other statements come after it.
 */
export function endCredentials(
  userId: string,
  condition: (createdAt: SQL) => SQL,
  { origin, reason }: { origin: RequestOrigin; reason: string },
  nowMs: number,
) {
  const actor = holderOfToken(sql`${userId}`, origin);
  const record = (event: Pick<NewAuditEvent, "tenantId" | "action" | "target">, from: SQL) =>
    auditEach({ ...event, actor, meta: { reason } }, from, nowMs);
  const home = tenantOfAccount(userId);
  const keys = sql`api_keys k WHERE k.user_id = ${userId} AND k.revoked_at IS NULL AND ${condition(sql`k.created_at`)}`;
  const own = (alias: string) => sql`user_id = ${userId} AND ${condition(sql.raw(`${alias}.created_at`))}`;
  return {
    listed: listCredentials(userId, condition, nowMs),
    keysRecorded: record(
      { tenantId: sql`k.tenant_id`, action: "api_key.deleted", target: { kind: "api-key", id: sql`k.id` } },
      keys,
    ),
    keysEnded: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE id IN (SELECT k.id FROM ${keys})`,
    passkeysRecorded: record(
      { tenantId: home, action: "auth.passkey_removed", target: { kind: "user", id: userId } },
      sql`passkeys WHERE ${own("passkeys")}`,
    ),
    passkeysEnded: sql`DELETE FROM passkeys WHERE ${own("passkeys")}`,
    identitiesRecorded: record(
      { tenantId: home, action: "auth.identity_unlinked", target: { kind: "identity", id: sql`identities.id` } },
      sql`identities WHERE ${own("identities")}`,
    ),
    identitiesEnded: sql`DELETE FROM identities WHERE ${own("identities")}`,
  };
}
