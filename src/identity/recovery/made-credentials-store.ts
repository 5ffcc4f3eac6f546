/**
 * What outlives the sessions of an account because it belongs to a tenant or to the product: keys of tenants, platform
 * keys and sources. Ending those that the account and other suspects have made since a time, in D1. The audit log says
 * which they are.
 */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, type Rows, rows } from "../../base/db/client";
import type { AuditAction } from "../../base/schemas/audit-actions";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditEach, holderOfToken } from "../../tenancy/audit/record-store";
import { actsOf, type Suspect } from "../../webhooks/subscriptions/suspects-store";
import type { Suspicion } from "./tenant-changes-store";

/** Something that was ended, as mails name it. */
export interface EndedCredential {
  tenantId: string;
  tenantName: string;
  name: string;
}

/** The targets of what the suspects have done since then. */
const targetsOf = (suspects: readonly Suspect[], since: number, actions: readonly AuditAction[]) =>
  sql`SELECT a.target_id FROM ${actsOf(suspects, since)}
    WHERE a.action IN (SELECT value FROM json_each(${jsonList(actions)}))`;

/** A source that got a secret stops as a whole: its secrets are encrypted, and the others may be known too. */
export function endMadeCredentials(
  { userId, since, origin, isLive }: Suspicion,
  suspects: readonly Suspect[],
  nowMs: number,
) {
  const actor = holderOfToken(sql`${userId}`, origin);
  const tenantKeys = sql`api_keys k WHERE k.id IN (${targetsOf(suspects, since, ["api_key.created"])})
    AND k.owner = 'tenant' AND k.revoked_at IS NULL AND ${isLive}`;
  const platformKeys = sql`platform_keys k WHERE k.revoked_at IS NULL AND ${isLive}
    AND k.id IN (${targetsOf(suspects, since, ["platform_key.created", "platform_key.rotated"])})`;
  const sources = sql`sources s WHERE s.is_enabled = 1 AND ${isLive}
    AND s.id IN (${targetsOf(suspects, since, ["source.created", "source.updated", "source.secret_added"])})`;
  const meta = { reason: "not-me" };
  return {
    endedTenantKeys: listed(sql`k.tenant_id`, sql`k.name`, tenantKeys),
    endedPlatformKeys: listed(sql`${PLATFORM_TENANT}`, sql`k.name`, platformKeys),
    disabledSources: listed(sql`s.tenant_id`, sql`s.name`, sources),
    tenantKeyEvents: auditEach(
      {
        tenantId: sql`k.tenant_id`,
        action: "api_key.deleted",
        actor,
        target: { kind: "api-key", id: sql`k.id` },
        meta,
      },
      tenantKeys,
      nowMs,
    ),
    platformKeyEvents: auditEach(
      {
        tenantId: PLATFORM_TENANT,
        action: "platform_key.revoked",
        actor,
        target: { kind: "platform-key", id: sql`k.id` },
        meta,
      },
      platformKeys,
      nowMs,
    ),
    sourceEvents: auditEach(
      {
        tenantId: sql`s.tenant_id`,
        action: "source.updated",
        actor,
        target: { kind: "source", id: sql`s.id` },
        meta: { ...meta, changed: ["enabled"] },
      },
      sources,
      nowMs,
    ),
    tenantKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE id IN (SELECT k.id FROM ${tenantKeys})`,
    platformKeys: sql`UPDATE platform_keys SET revoked_at = ${nowMs} WHERE id IN (SELECT k.id FROM ${platformKeys})`,
    sources: sql`UPDATE sources SET is_enabled = 0, updated_at = ${nowMs} WHERE id IN (SELECT s.id FROM ${sources})`,
  };
}

const listed = (tenantId: SQL, name: SQL, from: SQL): Rows<EndedCredential> =>
  rows(sql`SELECT ${tenantId} AS tenantId, (SELECT name FROM tenants WHERE id = ${tenantId}) AS tenantName,
    ${name} AS name FROM ${from}`);
