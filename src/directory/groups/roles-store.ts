/** Giving members the roles of their groups, in D1. Owners stay owners, and roles that were given by hand stay. */
import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../base/db/client";
import { revokeMembers } from "../../identity/tokens/revocations-store";
import { judgedRole } from "../../sign-on/rules/judged-store";
import type { RulingDirectory } from "../../sign-on/rules/roles";
import { auditEach } from "../../tenancy/audit/record-store";
import { keepWays } from "./ways-in-store";

/**
 * Gives the roles of the people `d` for whom `people` holds, as far as they differ. Their tokens say the former role,
 * so they are revoked.
 */
export function giveRoles(directory: RulingDirectory, people: SQL, nowMs: number, without?: string): Statement[] {
  const { connectionId, tenantId, actor } = directory;
  // With a limit, SQLite asks for the role once, and not wherever it is named below.
  const judged = sql`SELECT d.user_id AS userId, ${judgedRole(directory, { without })} AS role FROM directory_users d
    WHERE d.connection_id = ${connectionId} AND d.state = 'active' AND d.user_id IS NOT NULL AND ${people} LIMIT -1`;
  const changing = sql`(${judged}) j CROSS JOIN memberships m ON m.tenant_id = ${tenantId} AND m.user_id = j.userId
    WHERE m.role_by = 'directory' AND m.role <> 'owner' AND j.role NOT IN (m.role, 'unchanged')`;
  return [
    ...keepWays(directory, people, judgedRole(directory, { without }), nowMs),
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
