/**
 * Reclaiming an account by the owner of its address, in D1. As long as the address is unverified, somebody else may
 * have registered it. All access that was set up before ends, so that this person cannot get in.
 */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { EndedAccess } from "../../base/mail/job";
import { SYSTEM } from "../../base/schemas/actor";
import { auditEach } from "../../tenancy/audit/record-store";
import { endPortalLinks } from "../tokens/portal-links-store";
import { endSessionsAndApps } from "../tokens/revocations-store";

/**
 * For `users u`: the tenants that a reclaimed account leaves, as a JSON array of `TenantRef`; empty for a verified
 * address.
 */
export const tenantsToLeave = sql`(SELECT json_group_array(json_object('tenantId', t.id, 'shard', t.shard))
  FROM memberships m JOIN tenants t ON t.id = m.tenant_id
  WHERE m.user_id = u.id AND t.created_by = u.id AND u.email_verified_at IS NULL)`;

/** The row as SQLite returns it, with 0 or 1 for the boolean. */
type CountedAccess = Omit<EndedAccess, "twoFactor"> & { twoFactor: 0 | 1 };

/** Returns what ended with the reclaiming; undefined when the account was not reclaimed. */
export function endedOf([counted]: readonly CountedAccess[]): EndedAccess | undefined {
  return counted && { ...counted, twoFactor: counted.twoFactor === 1 };
}

/** Reclaims the account if `condition` holds and its address is unverified. `ended` then has one row. */
export function reclaim(userId: string, condition: SQL, nowMs: number) {
  const unproven = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)
    AND ${condition}`;
  const livingKeys = sql`user_id = ${userId} AND revoked_at IS NULL`;
  const openInvitations = sql`invited_by = ${userId} AND accepted_at IS NULL AND revoked_at IS NULL`;
  const ownTenants = sql`user_id = ${userId} AND tenant_id IN (SELECT m.tenant_id FROM memberships m
    JOIN tenants t ON t.id = m.tenant_id
    WHERE m.user_id = ${userId} AND t.created_by = ${userId})`;
  const tenantsOfUser = sql`tenant_id IN (SELECT tenant_id FROM memberships WHERE user_id = ${userId})`;
  return {
    // First: it counts what the other statements end.
    ended: rows<CountedAccess>(sql`SELECT (SELECT count(*) FROM sessions WHERE user_id = ${userId}) AS sessions,
        (SELECT count(*) FROM api_keys WHERE ${livingKeys}) AS apiKeys,
        (SELECT count(*) FROM passkeys WHERE user_id = ${userId}) AS passkeys,
        (SELECT count(*) FROM identities WHERE user_id = ${userId}) AS identities,
        (SELECT count(*) FROM invitations WHERE ${tenantsOfUser} AND ${openInvitations}) AS invitations,
        (SELECT count(*) FROM memberships WHERE ${ownTenants}) AS tenants, totp_enabled_at IS NOT NULL AS twoFactor
      FROM users WHERE id = ${userId} AND ${unproven}`),
    apiKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE ${livingKeys} AND ${unproven}`,
    // Before the memberships, through which the tenants are found.
    portalLinks: endPortalLinks(userId, unproven, { actor: SYSTEM, reason: "taken-over" }, nowMs),
    tenantKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE user_id = '' AND revoked_at IS NULL
      AND tenant_id IN (SELECT l.tenant_id FROM memberships l WHERE ${ownTenants}) AND ${unproven}`,
    recoveryCodes: sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND ${unproven}`,
    identities: sql`DELETE FROM identities WHERE user_id = ${userId} AND ${unproven}`,
    passkeys: sql`DELETE FROM passkeys WHERE user_id = ${userId} AND ${unproven}`,
    secondFactor: sql`UPDATE users SET name = NULL, totp_secret_encrypted = NULL, totp_enrolment_id = NULL,
      totp_enabled_at = NULL,
        totp_last_step = 0, created_from = NULL
      WHERE id = ${userId} AND ${unproven}`,
    devices: sql`DELETE FROM known_devices WHERE user_id = ${userId} AND ${unproven}`,
    // Before the memberships, through which they are found.
    invitations: sql`UPDATE invitations SET revoked_at = ${nowMs} WHERE ${tenantsOfUser} AND ${openInvitations}
      AND ${unproven}`,
    left: auditEach(
      {
        tenantId: sql`l.tenant_id`,
        action: "member.left",
        // Other members of the tenant learn nothing about the owner of the address.
        actor: SYSTEM,
        target: { kind: "user", id: userId },
        meta: { reason: "taken-over" },
      },
      sql`memberships l WHERE ${ownTenants} AND ${unproven}`,
      nowMs,
    ),
    memberships: sql`DELETE FROM memberships WHERE ${ownTenants} AND ${unproven}`,
    // Whoever registered the account has allowed these apps, and not the owner of the address.
    appConsents: sql`DELETE FROM oauth_consents WHERE user_id = ${userId} AND ${unproven}`,
    sessions: endSessionsAndApps(sql`user_id = ${userId} AND ${unproven}`, "all", nowMs),
    mailedTokens: sql`DELETE FROM email_tokens WHERE subject_id = ${userId}
      AND purpose IN ('verify', 'undo', 'change-email')
      AND ${unproven}`,
  };
}
