/**
 * Who gets in by the rules alone, in D1: where no role is given by default, whoever leaves the last group that a rule
 * names is held, and whoever comes into one again is judged again, by the minute.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import { decidedByGroups, type RulingDirectory } from "../../sign-on/rules/roles";
import { auditEach } from "../../tenancy/audit/record-store";
import { endAccess } from "../users/departure-store";
import { countDepartures } from "../users/tell-store";

/**
 * Of the people `d` for whom `people` holds: ends the access of members whose roles the rules give and who have none
 * by them, `role`, and marks those who are held for that and have one now.
 */
export function keepWays(directory: RulingDirectory, people: SQL, role: SQL, nowMs: number): Statement[] {
  const { roles } = directory;
  // With a default, nobody is held without a role; a rule about claims decides at a sign-on.
  if (roles.default !== null) return [];
  const again = judgeAgain(sql`d.connection_id = ${directory.connectionId} AND ${people} AND ${role} <> 'unchanged'`);
  if (decidedByGroups(roles).otherwise !== null) return [again];
  const { connectionId, tenantId, actor } = directory;
  const writeId = newId();
  const of = sql`d.connection_id = ${connectionId} AND ${people}`;
  const follows = sql`EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = ${tenantId} AND m.user_id = d.user_id
    AND m.role_by = 'directory' AND m.role <> 'owner')`;
  const lost = sql`directory_users d WHERE ${of} AND d.write_id = ${writeId}`;
  const departure = { directory, people: sql`SELECT d.user_id AS id FROM ${lost}` };
  return [
    sql`UPDATE directory_users AS d SET state = 'held', reason = 'no_role', state_at = ${nowMs}, version = version + 1,
        write_id = ${writeId}, updated_at = ${nowMs}
      WHERE ${of} AND d.state = 'active' AND d.user_id IS NOT NULL AND ${follows} AND ${role} IS NULL`,
    auditEach(
      {
        tenantId,
        action: "directory.held",
        actor,
        target: { kind: "connection", id: connectionId },
        meta: sql`json_object('person', d.id, 'reason', 'no_role')`,
      },
      lost,
      nowMs,
    ),
    countDepartures(connectionId, sql`EXISTS (SELECT 1 FROM ${lost})`, sql`(SELECT count(*) FROM ${lost})`, nowMs),
    ...Object.values(endAccess(departure, nowMs)).flat(),
    again,
  ];
}

/** Marks people `d` who are held because no rule has given them a role. */
export const judgeAgain = (condition: SQL): SQL => sql`UPDATE directory_users AS d SET reason = NULL,
  version = version + 1 WHERE ${condition} AND d.state = 'held' AND d.reason = 'no_role'`;
