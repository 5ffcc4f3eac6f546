/** Suspending tenants and people in the control plane, and ending sessions. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { endPortalLinks } from "../../identity/tokens/portal-links-store";
import { endSessionsAndApps, endSessionsForGood, revokeTenants } from "../../identity/tokens/revocations-store";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";

/** The events that are recorded if something changes. */
type Events = readonly NewAuditEvent[];

/** Suspends a tenant. Changes and records nothing when it is suspended already. */
export async function markTenantSuspended(
  { db }: Deps,
  { tenantId, reason }: { tenantId: string; reason: string },
  events: Events,
  nowMs: number,
): Promise<void> {
  await atomically(db, {
    suspended: sql`UPDATE tenants SET suspended_at = ${nowMs}, suspended_reason = ${reason}
      WHERE id = ${tenantId} AND suspended_at IS NULL`,
    recorded: events.map(auditIfChanged),
    revoked: revokeTenants(sql`id = ${tenantId} AND suspended_at = ${nowMs}`, nowMs),
  });
}

/** Ends the suspension of a tenant, if there is one. */
export async function markTenantResumed({ db }: Deps, tenantId: string, events: Events): Promise<void> {
  await atomically(db, {
    resumed: sql`UPDATE tenants SET suspended_at = NULL, suspended_reason = NULL WHERE id = ${tenantId}
      AND suspended_at IS NOT NULL`,
    recorded: events.map(auditIfChanged),
  });
}

const known = (userId: string) => rows<{ id: string }>(sql`SELECT id FROM users WHERE id = ${userId}`);

/**
 * Suspends a person and ends all of their sessions; their API keys end too unless `keepApiKeys` is set. Returns false
 * when there is no such account.
 */
export async function suspendUser(
  { db }: Deps,
  { userId, reason, keepApiKeys }: { userId: string; reason: string; keepApiKeys: boolean },
  events: Events,
  nowMs: number,
): Promise<boolean> {
  const { found } = await atomically(db, {
    found: known(userId),
    suspended: sql`UPDATE users SET suspended_at = ${nowMs}, suspended_reason = ${reason},
      keep_api_keys = ${Number(keepApiKeys)} WHERE id = ${userId} AND suspended_at IS NULL`,
    recorded: events.map(auditIfChanged),
    sessions: endSessionsForGood(
      userId,
      sql`EXISTS (SELECT 1 FROM users s WHERE s.id = ${userId} AND s.suspended_at = ${nowMs})`,
      nowMs,
    ),
  });
  return found.length === 1;
}

/** Ends the suspension of a person, if there is one. Returns false when there is no such account. */
export async function resumeUser({ db }: Deps, userId: string, events: Events): Promise<boolean> {
  const { found } = await atomically(db, {
    found: known(userId),
    resumed: sql`UPDATE users SET suspended_at = NULL, suspended_reason = NULL WHERE id = ${userId}
      AND suspended_at IS NOT NULL`,
    recorded: events.map(auditIfChanged),
  });
  return found.length === 1;
}

/** Ends all sessions and portal links of a person, in all tenants. Returns false when there is no such account. */
export async function endSessionsOfUser({ db, now }: Deps, userId: string, events: Events): Promise<boolean> {
  const { found } = await atomically(db, {
    found: known(userId),
    sessions: endSessionsAndApps(sql`user_id = ${userId}`, "own", now()),
    recorded: events.map(auditIfChanged),
    portalLinks: endPortalLinks(userId, sql`true`, { actor: SYSTEM, reason: "sessions-ended" }, now()),
  });
  return found.length === 1;
}
