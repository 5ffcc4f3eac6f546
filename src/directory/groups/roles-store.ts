/** Giving members the roles of their groups, in D1. Owners stay owners, and roles that were given by hand stay. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, type Statement } from "../../base/db/client";
import { revokeMembers } from "../../identity/tokens/revocations-store";
import { auditEach } from "../../tenancy/audit/record-store";
import { decidedByGroups, type RulingDirectory } from "../rules/roles";
import { keepWays } from "./ways-in-store";

/**
 * The role by the rules over the groups of the person `d`, but for the group `without`; NULL: none. `unchanged` stands
 * for one that only a sign-on tells.
 */
export function judgedRole(
  { connectionId, roles }: Pick<RulingDirectory, "connectionId" | "roles">,
  without?: string,
): SQL {
  const { rules, otherwise } = decidedByGroups(roles);
  const but = without === undefined ? sql`` : sql`AND gm.group_id <> ${without}`;
  return sql`coalesce((SELECT r.value ->> 'role' FROM directory_members gm
    CROSS JOIN directory_groups g ON g.connection_id = gm.connection_id AND g.id = gm.group_id
    CROSS JOIN json_each(${jsonList(rules)}) r
    WHERE gm.connection_id = ${connectionId} AND gm.person_id = d.id AND r.value ->> 'group' IN (g.id, g.display_name)
      ${but} ORDER BY r.key LIMIT 1), ${otherwise})`;
}

/**
 * Gives the roles of the people `d` for whom `people` holds, as far as they differ. Their tokens say the former role,
 * so they are revoked.
 */
export function giveRoles(directory: RulingDirectory, people: SQL, nowMs: number, without?: string): Statement[] {
  const { connectionId, tenantId, actor } = directory;
  const judged = sql`SELECT d.user_id AS userId, ${judgedRole(directory, without)} AS role FROM directory_users d
    WHERE d.connection_id = ${connectionId} AND d.state = 'active' AND d.user_id IS NOT NULL AND ${people}`;
  const changing = sql`(${judged}) j CROSS JOIN memberships m ON m.tenant_id = ${tenantId} AND m.user_id = j.userId
    WHERE m.role_by = 'directory' AND m.role <> 'owner' AND j.role NOT IN (m.role, 'unchanged')`;
  return [
    ...keepWays(directory, people, judgedRole(directory, without), nowMs),
    auditEach(
      {
        tenantId,
        action: "member.role_changed",
        actor,
        target: { kind: "user", id: sql`m.user_id` },
        meta: sql`json_object('from', m.role, 'to', j.role, 'method', 'directory', 'connection', ${connectionId})`,
      },
      changing,
      nowMs,
    ),
    revokeMembers(sql`tenant_id = ${tenantId} AND user_id IN (SELECT m.user_id FROM ${changing})`, nowMs),
    // Last: the statements above tell what it changes.
    sql`UPDATE memberships AS o SET role = c.role FROM (SELECT m.user_id AS userId, j.role FROM ${changing}) c
      WHERE o.tenant_id = ${tenantId} AND o.user_id = c.userId`,
  ];
}
