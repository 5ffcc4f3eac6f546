/** The policy of a tenant in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { DAY_MS } from "../../base/time";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { IS_IN_SCOPE } from "../tokens/due-store";
import { revokeTenants, revokeWithoutFactor } from "../tokens/revocations-store";
import { isSessionRefused } from "../tokens/sign-on-due-store";
import { COUNT_WITHOUT, ownersCanSignOn } from "./enforcement-store";
import type { PolicyChange, RequiredOf, SignOnRequired } from "./schemas";

/** For a tenant that has never had a policy. */
const DEFAULT_GRACE_DAYS = 7;

export interface PolicyRow {
  requireSecondFactor: RequiredOf;
  graceDays: number;
  /** Unix ms; null while the policy is off. */
  enforcedFrom: number | null;
  membersWithout: number;
  unlistedApps: NonNullable<PolicyChange["unlistedApps"]>;
  requireSignOn: SignOnRequired;
  signOnGraceDays: number;
  /** Unix ms; null while nobody must sign on. */
  signOnFrom: number | null;
  signOnWithout: number;
  /** Whether the session that asks is one of those that get in no more from then on. */
  endsThisSession: 0 | 1;
}

/** What is there before sign-on can be required; 1: it is, or is not needed. */
export interface Requirements {
  connection: 0 | 1;
  domain: 0 | 1;
  tried: 0 | 1;
  factor: 0 | 1;
  /** Whether who asks has a second factor, whatever is required. */
  hasOwnFactor: 0 | 1;
}

const MODE = sql`coalesce(second_factor, 'off')`;
const GRACE_DAYS = sql`coalesce(second_factor_grace_days, ${DEFAULT_GRACE_DAYS})`;
const SIGN_ON = sql`coalesce(sign_on, 'off')`;
const SIGN_ON_GRACE_DAYS = sql`coalesce(sign_on_grace_days, ${DEFAULT_GRACE_DAYS})`;

/** True for a user who has two-factor authentication or a passkey. */
const hasFactor = (userId: SQL | string): SQL => sql`EXISTS (SELECT 1 FROM users fu WHERE fu.id = ${userId}
  AND (fu.totp_enabled_at IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys fp WHERE fp.user_id = fu.id)))`;

/** A session that asks; missing: a platform key. */
type Asking = Pick<SessionPrincipal, "userId" | "methods">;

const policyOf = ({ config }: Deps, tenantId: string, asking?: Asking) =>
  rows<PolicyRow>(sql`SELECT ${MODE} AS requireSecondFactor, ${GRACE_DAYS} AS graceDays,
      second_factor_from AS enforcedFrom, coalesce(unlisted_apps, 'allow') AS unlistedApps,
      ${SIGN_ON} AS requireSignOn, ${SIGN_ON_GRACE_DAYS} AS signOnGraceDays, sign_on_from AS signOnFrom,
      ${COUNT_WITHOUT} AS signOnWithout,
      ${asking ? endsSession({ config }, tenantId, asking) : sql`0`} AS endsThisSession,
      (SELECT count(*) FROM memberships m WHERE m.tenant_id = t.id AND t.second_factor IS NOT NULL
        AND ${IS_IN_SCOPE} AND NOT ${hasFactor(sql`m.user_id`)}) AS membersWithout
    FROM tenants t WHERE t.id = ${tenantId}`);

const endsSession = ({ config }: Pick<Deps, "config">, tenantId: string, { userId, methods }: Asking): SQL =>
  isSessionRefused(config, { tenantId, userId, methods: sql`${jsonList(methods)}` }, Number.MAX_SAFE_INTEGER);

/** The policy of a tenant; undefined for a deleted one. */
export async function findPolicy(deps: Deps, tenantId: string, asking?: Asking): Promise<PolicyRow | undefined> {
  const { found } = await atomically(deps.db, { found: policyOf(deps, tenantId, asking) });
  return found[0];
}

/** Whose policy changes, and who changes it. */
export interface PolicyChanger {
  tenantId: string;
  /** Null: the product itself, which cannot lock itself out. */
  asking: Asking | null;
  eventsOf(change: Required<Pick<NewAuditEvent, "action" | "target" | "meta">>): NewAuditEvent[];
}

/**
 * Changes the policy of a tenant, begins its grace period anew, and revokes the tokens of members who owe a second
 * factor or a sign-on at once. Writes nothing if nothing changes, if something is missing to require sign-on, or if the
 * policy would be on and who changes it has no second factor. Returns the policy as it is afterwards.
 */
export async function updatePolicy(
  deps: Deps,
  changer: PolicyChanger,
  change: PolicyChange,
  nowMs: number,
): Promise<{
  isChanged: boolean;
  isSignOnChanged: boolean;
  policy: PolicyRow | undefined;
  requirements: Requirements | undefined;
}> {
  const { tenantId, asking, eventsOf } = changer;
  const userId = asking?.userId ?? null;
  const { requireSecondFactor, graceDays, unlistedApps } = change;
  const mode = sql`coalesce(${requireSecondFactor ?? null}, ${MODE})`;
  const days = sql`coalesce(${graceDays ?? null}, ${GRACE_DAYS})`;
  const mayRequire = userId === null ? sql`1` : hasFactor(userId);
  const signOn = changeSignOn(changer, change.signOn, mayRequire, nowMs);
  const { own, updated, signOnUpdated, found } = await atomically(deps.db, {
    own: signOn.requirements,
    updated: sql`UPDATE tenants SET second_factor = nullif(${mode}, 'off'), second_factor_grace_days = ${days},
        second_factor_from = iif(${mode} = 'off', NULL, ${nowMs} + ${days} * ${DAY_MS})
      WHERE id = ${tenantId} AND (${mode} <> ${MODE} OR ${days} <> ${GRACE_DAYS})
        AND (${mode} = 'off' OR ${mayRequire}) AND ${signOn.isPossible}
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
    ...changeApps(changer, unlistedApps, signOn.isPossible, nowMs),
    ...signOn.statements,
    found: policyOf(deps, tenantId, asking ?? undefined),
  });
  return {
    isChanged: updated.length === 1,
    isSignOnChanged: signOnUpdated !== undefined && signOnUpdated.length === 1,
    policy: found[0],
    requirements: own[0],
  };
}

interface SignOnStatements {
  signOnUpdated?: SQL;
  signOnRecorded?: SQL[];
  signOnRevoked?: SQL;
}

/** Says who must sign on, if that is possible, and reads what is missing. Without a grace period all tokens end. */
function changeSignOn(
  { tenantId, asking, eventsOf }: PolicyChanger,
  change: PolicyChange["signOn"],
  hasOwnFactor: SQL,
  nowMs: number,
): { requirements: Rows<Requirements>; isPossible: SQL; statements: SignOnStatements } {
  const required = change?.require ?? "off";
  const userId = asking?.userId ?? null;
  const { connection, domain, tried } = ownersCanSignOn({ tenantId, userId }, sql`${required} = 'domains'`, nowMs);
  const isOn = change !== undefined && required !== "off";
  const days = sql`coalesce(${change?.graceDays ?? null}, ${SIGN_ON_GRACE_DAYS})`;
  // What is as it was needs nothing.
  const isSame = sql`EXISTS (SELECT 1 FROM tenants WHERE id = ${tenantId} AND ${SIGN_ON} = ${required}
    AND ${days} = ${SIGN_ON_GRACE_DAYS})`;
  const met = isOn
    ? sql`${isSame} OR ${connection} AS connection, ${isSame} OR ${domain} AS domain, ${isSame} OR ${tried} AS tried,
        ${isSame} OR ${hasOwnFactor} AS factor`
    : sql`1 AS connection, 1 AS domain, 1 AS tried, 1 AS factor`;
  const requirements = rows<Requirements>(sql`SELECT ${met}, ${hasOwnFactor} AS hasOwnFactor`);
  const isPossible = isOn
    ? sql`(${isSame} OR (${connection} AND ${domain} AND ${tried} AND ${hasOwnFactor}))`
    : sql`true`;
  if (!change) return { requirements, isPossible, statements: {} };
  const from = isOn ? sql`${nowMs} + ${days} * ${DAY_MS}` : sql`NULL`;
  const meta = sql`(SELECT json_object('signOn', ${SIGN_ON}, 'signOnGraceDays', ${SIGN_ON_GRACE_DAYS}) FROM tenants
    WHERE id = ${tenantId})`;
  const target = { kind: "tenant", id: tenantId } as const;
  const statements = {
    signOnUpdated: sql`UPDATE tenants SET sign_on = ${isOn ? required : null}, sign_on_grace_days = ${days},
        sign_on_from = ${from}, sign_on_begun_at = iif(${days} = 0 AND ${Number(isOn)}, ${nowMs}, NULL)
      WHERE id = ${tenantId} AND NOT ${isSame} AND ${isPossible} RETURNING id`,
    signOnRecorded: eventsOf({ action: "tenant.security_changed", target, meta }).map(auditIfChanged),
    signOnRevoked: revokeTenants(sql`id = ${tenantId} AND sign_on_begun_at = ${nowMs}`, nowMs),
  };
  return { requirements, isPossible, statements };
}

/** Says which unlisted apps may be used. The tokens of all of them end where fewer may. */
function changeApps(
  { tenantId, eventsOf }: PolicyChanger,
  unlistedApps: PolicyChange["unlistedApps"],
  condition: SQL,
  nowMs: number,
) {
  if (unlistedApps === undefined) return {};
  const stored = unlistedApps === "allow" ? null : unlistedApps;
  return {
    apps: sql`UPDATE tenants SET unlisted_apps = ${stored} WHERE id = ${tenantId} AND unlisted_apps IS NOT ${stored}
      AND ${condition}`,
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
