/**
 * What ends when a directory says that somebody has left, in D1: the membership with its sessions, API keys and portal
 * links. An owner keeps the membership and their own credentials, or a directory could take a tenant from its owners.
 */
import { type SQL, sql } from "drizzle-orm";
import { endApiKeys } from "../../identity/members/ended-keys-store";
import { endPortalLinks } from "../../identity/tokens/portal-links-store";
import { endSessions, endSessionsOfMembers } from "../../identity/tokens/revocations-store";
import { auditEach } from "../../tenancy/audit/record-store";
import type { DirectoryActor } from "../callers/caller";
import { isWritten, type RecordChange } from "./change-store";

/** Who has left, as the directory says: the users whose ids `people` selects as `id`. */
export interface Departure {
  directory: Pick<DirectoryActor, "tenantId" | "connectionId" | "actor">;
  people: SQL;
}

/** Whoever a record is of, once that is written. */
export const departureOf = (
  caller: DirectoryActor,
  write: Pick<RecordChange, "caller" | "id" | "writeId" | "userId">,
): Departure => ({ directory: caller, people: sql`SELECT ${write.userId} AS id WHERE ${isWritten(write)}` });

/** Ends their access. `people` must select the same until the batch is over. */
export function endAccess({ directory, people }: Departure, nowMs: number) {
  const { tenantId, connectionId, actor } = directory;
  const theirs = sql`tenant_id = ${tenantId} AND user_id IN (${people})`;
  const leaves = sql`tenant_id = ${tenantId} AND user_id IN (SELECT p.id FROM (${people}) p WHERE NOT EXISTS (
    SELECT 1 FROM memberships ow WHERE ow.tenant_id = ${tenantId} AND ow.user_id = p.id AND ow.role = 'owner'))`;
  const ending = { actor, reason: "member-removed" } as const;
  return {
    removed: auditEach(
      {
        tenantId,
        action: "member.removed",
        actor,
        target: { kind: "user", id: sql`memberships.user_id` },
        meta: { method: "directory", connection: connectionId },
      },
      sql`memberships WHERE ${leaves}`,
      nowMs,
    ),
    sessions: endSessionsOfMembers(leaves, nowMs),
    ownersSessions: endSessions(sql`user_id IN (${people}) AND +connection_id = ${connectionId}`, nowMs),
    ...endApiKeys(theirs, ending, nowMs),
    portalLinks: endPortalLinks(
      sql`portal_links.maker_id`,
      sql`portal_links.tenant_id = ${tenantId} AND portal_links.maker_id IN (${people})`,
      ending,
      nowMs,
    ),
    // From now on counts how long a managed account stays.
    subjects: sql`UPDATE connection_identities INDEXED BY connection_identities_by_user
      SET last_used_at = ${nowMs} WHERE user_id IN (${people}) AND connection_id = ${connectionId}`,
    // Last: the statements above ask for the membership.
    membership: sql`DELETE FROM memberships WHERE ${leaves}`,
  };
}
