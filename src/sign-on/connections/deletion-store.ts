/**
 * Deleting a connection in D1. One batch decides and ends all access, of 100,000 members as of one: deleting their
 * memberships takes a second. What opens nothing goes page by page, see `directory/ending`.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { endApiKeys } from "../../identity/members/ended-keys-store";
import { isLastWayIn } from "../../identity/policy/enforcement-store";
import { endSessions, endSessionsOfMembers } from "../../identity/tokens/revocations-store";
import { startEnd } from "../rules/jobs-store";
import { recordRemoved } from "./removed-store";
import { type ConnectionChanger, recorded } from "./store";

/**
 * Deletes a connection with its sessions; `removesMembers`: and the members whom it has made, owners aside. Returns
 * false when the tenant has none with this id, and for the last one of a tenant that requires sign-on.
 */
export async function deleteConnection(
  { db }: Deps,
  changer: ConnectionChanger,
  { id, removesMembers }: { id: string; removesMembers: boolean },
  nowMs: number,
): Promise<boolean> {
  const { tenantId } = changer;
  const own = sql`(SELECT c.id FROM connections c WHERE c.id = ${id} AND c.tenant_id = ${tenantId}
    AND NOT ${isLastWayIn(tenantId, id)})`;
  const { deleted } = await atomically(db, {
    ...(removesMembers ? removeMembers(changer, own, nowMs) : {}),
    sessions: endSessions(sql`connection_id = ${own}`, nowMs),
    kept: sql`UPDATE memberships SET connection_id = NULL WHERE connection_id = ${own} AND tenant_id = ${tenantId}`,
    traces: sql`DELETE FROM sign_on_traces WHERE connection_id = ${own}`,
    scimTokens: sql`DELETE FROM scim_tokens WHERE connection_id = ${own}`,
    roles: sql`DELETE FROM directory_jobs WHERE connection_id = ${own} AND kind = 'roles'`,
    end: startEnd(own, tenantId, nowMs),
    deleted: rows<{ id: string }>(
      sql`DELETE FROM connections WHERE id = ${own} AND tenant_id = ${tenantId} RETURNING id`,
    ),
    recorded: recorded(changer, "connection.deleted", id),
  });
  return deleted.length === 1;
}

/** Ends the memberships that the connection has made, with all that they open. */
function removeMembers({ tenantId, actor }: ConnectionChanger, connection: SQL, nowMs: number) {
  const isMade = (membership: SQL) => sql`${membership}.connection_id = ${connection}
    AND ${membership}.tenant_id = ${tenantId} AND ${membership}.role <> 'owner'`;
  const made = sql`tenant_id = ${tenantId} AND user_id IN (SELECT mm.user_id FROM memberships mm
    WHERE ${isMade(sql`mm`)})`;
  return {
    removed: recordRemoved({ tenantId, actor }, connection, sql`memberships m WHERE ${isMade(sql`m`)}`, nowMs),
    memberSessions: endSessionsOfMembers(made, nowMs),
    ...endApiKeys(made, { actor, reason: "member-removed" }, nowMs),
    // Last: the statements above find whom it is about.
    members: sql`DELETE FROM memberships WHERE ${isMade(sql`memberships`)}`,
  };
}
