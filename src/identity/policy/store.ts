/** The policy of a tenant in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { IS_IN_SCOPE } from "../tokens/due-store";
import { revokeWithoutFactor } from "../tokens/revocations-store";
import type { PolicyChange, RequiredOf } from "./schemas";

/** For a tenant that has never had a policy. */
const DEFAULT_GRACE_DAYS = 7;

export interface PolicyRow {
  requireSecondFactor: RequiredOf;
  graceDays: number;
  /** Unix ms; null while the policy is off. */
  enforcedFrom: number | null;
  membersWithout: number;
  unlistedApps: NonNullable<PolicyChange["unlistedApps"]>;
}

const MODE = sql`coalesce(second_factor, 'off')`;
const GRACE_DAYS = sql`coalesce(second_factor_grace_days, ${DEFAULT_GRACE_DAYS})`;

/** True for a user who has two-factor authentication or a passkey. */
const hasFactor = (userId: SQL | string): SQL => sql`EXISTS (SELECT 1 FROM users fu WHERE fu.id = ${userId}
  AND (fu.totp_enabled_at IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys fp WHERE fp.user_id = fu.id)))`;

const policyOf = (tenantId: string) =>
  rows<PolicyRow>(sql`SELECT ${MODE} AS requireSecondFactor, ${GRACE_DAYS} AS graceDays,
      second_factor_from AS enforcedFrom, coalesce(unlisted_apps, 'allow') AS unlistedApps,
      (SELECT count(*) FROM memberships m WHERE m.tenant_id = t.id AND t.second_factor IS NOT NULL
        AND ${IS_IN_SCOPE} AND NOT ${hasFactor(sql`m.user_id`)}) AS membersWithout
    FROM tenants t WHERE t.id = ${tenantId}`);

/** The policy of a tenant; undefined for a deleted one. */
export async function findPolicy({ db }: Deps, tenantId: string): Promise<PolicyRow | undefined> {
  const { found } = await atomically(db, { found: policyOf(tenantId) });
  return found[0];
}

/** Whose policy changes, and who changes it. */
export interface PolicyChanger {
  tenantId: string;
  /** Null: the product itself, which cannot lock itself out. */
  userId: string | null;
  eventsOf(change: Required<Pick<NewAuditEvent, "action" | "target" | "meta">>): NewAuditEvent[];
}

/**
 * Changes the policy of a tenant, begins its grace period anew, and revokes the tokens of members who owe a second
 * factor at once. Writes nothing if nothing changes, or if the policy would be on and who changes it has no second
 * factor. Returns the policy as it is afterwards.
 */
export async function updatePolicy(
  { db }: Deps,
  { tenantId, userId, eventsOf }: PolicyChanger,
  { requireSecondFactor, graceDays, unlistedApps }: PolicyChange,
  nowMs: number,
): Promise<{ isChanged: boolean; policy: PolicyRow | undefined; hasOwnFactor: boolean }> {
  const mode = sql`coalesce(${requireSecondFactor ?? null}, ${MODE})`;
  const days = sql`coalesce(${graceDays ?? null}, ${GRACE_DAYS})`;
  const mayRequire = userId === null ? sql`1` : hasFactor(userId);
  const { own, updated, found } = await atomically(db, {
    own: rows<{ has: 0 | 1 }>(sql`SELECT ${mayRequire} AS has`),
    updated: sql`UPDATE tenants SET second_factor = nullif(${mode}, 'off'), second_factor_grace_days = ${days},
        second_factor_from = iif(${mode} = 'off', NULL, ${nowMs} + ${days} * ${DAY_MS})
      WHERE id = ${tenantId} AND (${mode} <> ${MODE} OR ${days} <> ${GRACE_DAYS})
        AND (${mode} = 'off' OR ${mayRequire})
      RETURNING id`,
    recorded: eventsOf({
      action: "tenant.security_changed",
      target: { kind: "tenant", id: tenantId },
      meta: sql`(SELECT json_object('requireSecondFactor', ${MODE}, 'graceDays', ${GRACE_DAYS}) FROM tenants
        WHERE id = ${tenantId})`,
    }).map(auditIfChanged),
    // With a grace period, tokens end before it does.
    revoked: revokeWithoutFactor(
      sql`tenant_id = ${tenantId}
        AND EXISTS (SELECT 1 FROM tenants WHERE id = ${tenantId} AND second_factor_from = ${nowMs})`,
      nowMs,
    ),
    ...changeApps(tenantId, unlistedApps, eventsOf, nowMs),
    found: policyOf(tenantId),
  });
  return { isChanged: updated.length === 1, policy: found[0], hasOwnFactor: own[0]?.has === 1 };
}

/** Says which unlisted apps may be used. The tokens of all of them end where fewer may. */
function changeApps(
  tenantId: string,
  unlistedApps: PolicyChange["unlistedApps"],
  eventsOf: PolicyChanger["eventsOf"],
  nowMs: number,
) {
  if (unlistedApps === undefined) return {};
  const stored = unlistedApps === "allow" ? null : unlistedApps;
  return {
    apps: sql`UPDATE tenants SET unlisted_apps = ${stored} WHERE id = ${tenantId} AND unlisted_apps IS NOT ${stored}`,
    appsRecorded: eventsOf({
      action: "tenant.security_changed",
      target: { kind: "tenant", id: tenantId },
      meta: { unlistedApps },
    }).map(auditIfChanged),
    appsRevoked:
      stored === null
        ? undefined
        : sql`INSERT OR IGNORE INTO revocations (at, key)
            SELECT DISTINCT ${Math.ceil(nowMs / 1000)}, 'c:' || g.client_id || ':' || ${tenantId}
            FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id
            WHERE g.tenant_id = ${tenantId} AND c.kind <> 'registered' AND changes() > 0`,
  };
}
