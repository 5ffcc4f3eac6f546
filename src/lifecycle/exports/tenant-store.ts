/** What the export of a tenant reads page by page, in D1. */

import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { ofTenantAndMembers } from "../../identity/members/ended-keys-store";
import { auditEach } from "../../tenancy/audit/record-store";
import { PLACEHOLDER } from "../../webhooks/plane/outbox-store";
import { API_KEY_COLUMNS, type ExportedKey, parsedKey } from "./account-store";

/**
 * Reads when the tenant was created, its external id, and the API keys of its members, including ended ones. Records
 * the export.
 */
export async function readTenant(
  { db }: Deps,
  { tenantId, userId, actor }: SessionPrincipal,
  nowMs: number,
): Promise<{ createdAt: number; externalId: string | null; keys: ExportedKey[] }> {
  const { tenants, keys } = await atomically(db, {
    tenants: rows<{ createdAt: number; externalId: string | null }>(
      sql`SELECT created_at AS createdAt, external_id AS externalId FROM tenants WHERE id = ${tenantId}`,
    ),
    keys: rows<Parameters<typeof parsedKey>[0]>(sql`SELECT ${API_KEY_COLUMNS} FROM api_keys k
      WHERE ${ofTenantAndMembers(tenantId)}`),
    recorded: auditEach(
      { tenantId, action: "tenant.exported", actor, target: { kind: "user", id: userId } },
      sql`tenants t WHERE t.id = ${tenantId}`,
      nowMs,
    ),
  });
  const [tenant = { createdAt: 0, externalId: null }] = tenants;
  return { ...tenant, keys: keys.map(parsedKey) };
}

/** An attempt without payload and response. Times are Unix ms. */
export interface ExportedAttemptRow {
  id: string;
  deliveryId: string;
  eventId: string;
  eventType: string;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: number;
  completedAt: number | null;
}

/**
 * Reads up to `limit` attempts of a subscription of the tenant, newest first, older than `before`; null starts at the
 * newest.
 */
export async function readAttempts(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  subscriptionId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<ExportedAttemptRow[]> {
  return query<ExportedAttemptRow>(shards.db(shard))`SELECT a.id, coalesce(a.delivery_id, a.id) AS deliveryId,
      a.event_id AS eventId, a.event_type AS eventType, a.status, a.response_code AS responseCode, a.error,
      a.attempt_count AS attemptCount, a.attempted_at AS attemptedAt, a.completed_at AS completedAt
    FROM subscriptions s CROSS JOIN attempts a ON a.subscription_id = s.id
    WHERE s.id = ${subscriptionId} AND s.tenant_id = ${tenantId} AND a.status <> ${PLACEHOLDER}
      AND ${before === null ? sql`true` : sql`a.id < ${before}`} ORDER BY a.id DESC LIMIT ${limit}`;
}
