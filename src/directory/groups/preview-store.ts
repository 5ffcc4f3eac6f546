/** How many people other rules would give another role, in D1. */
import { sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RoleSettings } from "../../base/schemas/connection-settings";
import { decidedByGroups } from "../../sign-on/rules/roles";

/** How many of the people who were read have one role, and would have another. */
export interface ReadRoles {
  /** Null: they do not get in. */
  from: string | null;
  to: string | null;
  /** Whether it would change. */
  isChange: 0 | 1;
  /** Those whom rules give a role. */
  people: number;
  /** Everybody, those who have left included, and the last of them. */
  records: number;
  last: string;
}

/** The records to read: the first `size` of them after the record `after`. */
interface Bite {
  after: string;
  size: number;
}

/**
 * Reads the next records of the directory, each once, and of their groups those that a rule names. Whose role a
 * sign-on decides does not change.
 */
export function readRoles(
  { db }: Deps,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  roles: RoleSettings,
  { after, size }: Bite,
): Promise<ReadRoles[]> {
  const { rules, otherwise } = decidedByGroups(roles);
  const named = jsonList(rules.map(({ group = "", role }) => ({ group, nameKey: group.toLowerCase(), role })));
  const isRead = sql`(p.state = 'active' OR p.reason = 'no_role')`;
  return query<ReadRoles>(db)`WITH ruled AS MATERIALIZED (SELECT id, min(rule) AS rule FROM (
      SELECT g.id, r.key AS rule FROM json_each(${named}) r CROSS JOIN directory_groups g
        ON g.connection_id = ${connectionId} AND g.id = r.value ->> 'group'
      UNION ALL SELECT g.id, r.key FROM json_each(${named}) r CROSS JOIN directory_groups g
        ON g.connection_id = ${connectionId} AND g.name_key = r.value ->> 'nameKey'
          AND g.display_name = r.value ->> 'group') GROUP BY id),
    page AS MATERIALIZED (SELECT d.id, d.user_id AS userId, d.state, d.reason FROM directory_users d
      WHERE d.connection_id = ${connectionId} AND d.id > ${after} ORDER BY d.id LIMIT ${size}),
    ranked AS MATERIALIZED (SELECT gm.person_id AS id, min(u.rule) AS rule FROM ruled u CROSS JOIN directory_members gm
      ON gm.connection_id = ${connectionId} AND gm.group_id = u.id AND gm.person_id > ${after}
        AND gm.person_id <= (SELECT max(id) FROM page) GROUP BY gm.person_id),
    judged AS (SELECT p.id, ${isRead} AS isRead, p.state, m.role AS has, m.role_by AS roleBy,
        iif(k.rule IS NULL, ${otherwise}, ${named} ->> ('$[' || k.rule || '].role')) AS role
      FROM page p LEFT JOIN ranked k ON k.id = p.id
      LEFT JOIN memberships m ON m.tenant_id = ${tenantId} AND m.user_id = p.userId)
    SELECT j.has AS "from", j.role AS "to", sum(j.isRead) AS people, count(*) AS records, max(j.id) AS last,
      (j.isRead AND j.role IS NOT j.has AND j.role IS NOT 'unchanged' AND ((j.state = 'held' AND j.has IS NULL)
        OR (j.roleBy = 'directory' AND j.has <> 'owner'))) AS isChange
    FROM judged j GROUP BY 1, 2, isChange ORDER BY 1, 2`;
}
