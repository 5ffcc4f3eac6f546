/** How many people other rules would give another role, in D1. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RoleSettings } from "../../base/schemas/connection-settings";
import { judgedRole } from "../../sign-on/rules/judged-store";

/** `from` null: they do not get in now; `to` null: they would not. */
export interface RoleChange {
  from: string | null;
  to: string | null;
  count: number;
}

/** Reads every record of the directory once. Whose role a sign-on decides is not counted. */
export async function countChanges(
  { db }: Deps,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  roles: RoleSettings,
): Promise<RoleChange[]> {
  return query<RoleChange>(db)`SELECT m.role AS "from", j.role AS "to", count(*) AS count
    FROM (SELECT d.user_id AS userId, d.state, ${judgedRole({ connectionId, roles })} AS role FROM directory_users d
      WHERE d.connection_id = ${connectionId} AND (d.state = 'active' OR d.reason = 'no_role')) j
    LEFT JOIN memberships m ON m.tenant_id = ${tenantId} AND m.user_id = j.userId
    WHERE j.role IS NOT m.role AND j.role IS NOT 'unchanged' AND
      ((j.state = 'held' AND m.role IS NULL) OR (m.role_by = 'directory' AND m.role <> 'owner'))
    GROUP BY 1, 2 ORDER BY 1, 2`;
}
