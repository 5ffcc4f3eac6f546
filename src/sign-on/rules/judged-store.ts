/** The role that the rules give, in D1, as an expression: what is written with it holds whatever changes meanwhile. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList } from "../../base/db/client";
import { decidedByGroups, type RulingDirectory } from "./roles";

/**
 * The role by the rules over the groups of a person, but for the group `without`; NULL: none. `unchanged` stands for
 * one that only a sign-on tells. `person`: the id of the record.
 */
export function judgedRole(
  { connectionId, roles }: Pick<RulingDirectory, "connectionId" | "roles">,
  { person = sql`d.id`, without }: { person?: SQL; without?: string | undefined } = {},
): SQL {
  const { rules, otherwise } = decidedByGroups(roles);
  const but = without === undefined ? sql`` : sql`AND gm.group_id <> ${without}`;
  return sql`coalesce((SELECT r.value ->> 'role' FROM directory_members gm
    CROSS JOIN directory_groups g ON g.connection_id = gm.connection_id AND g.id = gm.group_id
    CROSS JOIN json_each(${jsonList(rules)}) r
    WHERE gm.connection_id = ${connectionId} AND gm.person_id = ${person}
      AND r.value ->> 'group' IN (g.id, g.display_name) ${but} ORDER BY r.key LIMIT 1), ${otherwise})`;
}
