/** Ending the portal links, tokens and setup links that somebody has made, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { auditEach, type NewAuditEvent } from "../../tenancy/audit/record-store";

/**
 * What a user has made and has not ended, as a condition on `portal_links`. Ask while the user is a member of the
 * tenants: without the membership, none of it works.
 */
export const portalLinksMadeBy = (userId: string | SQL, nowMs: number): SQL =>
  sql`portal_links.tenant_id IN (SELECT tenant_id FROM memberships WHERE user_id = ${userId})
    AND portal_links.expires_at > ${nowMs} AND portal_links.maker_kind = 'user' AND portal_links.maker_id = ${userId}`;

/** Who ends links, and the reason for the audit log. */
interface Ending {
  actor: NewAuditEvent["actor"];
  reason: string;
}

/** Ends them if `condition` holds, SQL, and records each. */
export const endPortalLinks = (
  userId: string | SQL,
  condition: SQL,
  { actor, reason }: Ending,
  nowMs: number,
): SQL[] => {
  const links = sql`portal_links WHERE ${portalLinksMadeBy(userId, nowMs)} AND ${condition}`;
  const kind = sql`iif(portal_links.kind = 'setup', 'setup', 'portal')`;
  const ended = {
    tenantId: sql`portal_links.tenant_id`,
    action: sql`${kind} || '.link_revoked'`,
    actor,
    target: { kind: sql`${kind} || '-link'`, id: sql`portal_links.id` },
  };
  return [
    auditEach({ ...ended, meta: { reason } }, links, nowMs),
    sql`UPDATE portal_links SET expires_at = ${nowMs} WHERE id IN (SELECT portal_links.id FROM ${links})`,
  ];
};
