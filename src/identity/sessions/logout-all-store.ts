/** Signing out everywhere, in D1. */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { audit, auditEach } from "../../tenancy/audit/record-store";
import { endPortalLinks } from "../tokens/portal-links-store";
import { endSessions, endSessionsAndApps } from "../tokens/revocations-store";
import type { SessionOwner } from "./store";

/**
 * Ends every session and portal link of a user, in all tenants. Recorded in each tenant of such a session, as the login
 * was.
 */
export async function deleteAllSessionsOfUser({ db }: Deps, caller: SessionOwner, nowMs: number): Promise<void> {
  const { userId, actor, connectionId } = caller;
  if (connectionId !== null) return deleteConfinedSessions({ db }, caller, nowMs);
  await atomically(db, {
    // First, because it reads the sessions.
    recorded: auditEach(
      { tenantId: sql`s.tenant_id`, action: "auth.logout_all", actor, target: { kind: "user", id: userId } },
      sql`(SELECT DISTINCT tenant_id FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs}) s`,
      nowMs,
    ),
    deleted: endSessionsAndApps(sql`user_id = ${userId}`, "own", nowMs),
    portalLinks: endPortalLinks(userId, sql`true`, { actor, reason: "logout-all" }, nowMs),
  });
}

/** Ends what confined sessions of a user have made in their tenant: the sessions, portal links and apps. */
async function deleteConfinedSessions(
  { db }: Pick<Deps, "db">,
  { userId, tenantId, actor }: SessionOwner,
  nowMs: number,
): Promise<void> {
  const target = { kind: "user", id: userId } as const;
  await atomically(db, {
    recorded: audit({ tenantId, action: "auth.logout_all", actor, target }),
    apps: sql`DELETE FROM oauth_grants WHERE user_id = ${userId} AND tenant_id = ${tenantId} AND session_id = id
      AND instr(amr, '"sign-on"') > 0`,
    deleted: endSessions(sql`user_id = ${userId} AND tenant_id = ${tenantId} AND connection_id IS NOT NULL`, nowMs),
    portalLinks: endPortalLinks(
      userId,
      sql`portal_links.tenant_id = ${tenantId}`,
      { actor, reason: "logout-all" },
      nowMs,
    ),
  });
}
