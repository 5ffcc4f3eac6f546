/**
 * What ends when a directory says that somebody has left, in D1: the membership with its sessions, API keys and portal
 * links. An owner keeps the membership and their own credentials, or a directory could take a tenant from its owners.
 */
import { type SQL, sql } from "drizzle-orm";
import { endApiKeys } from "../../identity/members/ended-keys-store";
import { endPortalLinks } from "../../identity/tokens/portal-links-store";
import { endSessions, endSessionsOfMembers } from "../../identity/tokens/revocations-store";
import { auditEach } from "../../tenancy/audit/record-store";
import type { RecordChange } from "./change-store";

/** Ends it if `condition` holds, SQL. */
export function endAccess({ caller }: Pick<RecordChange, "caller">, userId: string, condition: SQL, nowMs: number) {
  const { tenantId, connectionId, actor } = caller;
  const isOwner = sql`EXISTS (SELECT 1 FROM memberships ow WHERE ow.tenant_id = ${tenantId} AND ow.user_id = ${userId}
    AND ow.role = 'owner')`;
  const theirs = sql`tenant_id = ${tenantId} AND user_id = ${userId} AND ${condition}`;
  const leaves = sql`${theirs} AND NOT ${isOwner}`;
  return {
    removed: auditEach(
      {
        tenantId,
        action: "member.removed",
        actor,
        target: { kind: "user", id: userId },
        meta: { method: "directory", connection: connectionId },
      },
      sql`memberships WHERE ${leaves}`,
      nowMs,
    ),
    sessions: endSessionsOfMembers(leaves, nowMs),
    ownersSessions: endSessions(sql`user_id = ${userId} AND +connection_id = ${connectionId} AND ${condition}`, nowMs),
    ...endApiKeys(theirs, { actor, reason: "member-removed" }, nowMs),
    portalLinks: endPortalLinks(
      userId,
      sql`portal_links.tenant_id = ${tenantId} AND ${condition}`,
      { actor, reason: "member-removed" },
      nowMs,
    ),
    // From now on counts how long a managed account stays.
    subjects: sql`UPDATE connection_identities SET last_used_at = ${nowMs} WHERE user_id = ${userId}
      AND connection_id = ${connectionId} AND ${condition}`,
    // Last: the statements above ask for the membership.
    membership: sql`DELETE FROM memberships WHERE ${leaves}`,
  };
}
