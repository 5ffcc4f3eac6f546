/** Groups in D1, as they are read. A caller reads those of its connection alone. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { StoredGroup } from "../protocol/view";

/** The members of a group with more are left out: half of a list would say that the others are not in it. */
const MAX_SHOWN_MEMBERS = 1_000;

export interface GroupRow extends StoredGroup {
  /** How many members it has. */
  size: number;
  /** Their ids, as JSON; null: they were not asked for, or are too many. */
  members: string | null;
}

const OF_GROUP = sql`FROM directory_members gm WHERE gm.connection_id = g.connection_id AND gm.group_id = g.id`;

const MEMBERS = sql`(SELECT iif(count(*) > ${MAX_SHOWN_MEMBERS}, NULL, json_group_array(gm.person_id)) ${OF_GROUP})`;

/** The columns of a group `g`. */
const groupColumns = (withMembers: boolean): SQL => sql`g.id, g.display_name AS displayName,
  g.external_id AS externalId, g.version, g.created_at AS createdAt, g.updated_at AS updatedAt,
  (SELECT count(*) ${OF_GROUP}) AS size,
  ${withMembers ? MEMBERS : sql`NULL`} AS members`;

export const findGroup = (connectionId: string, id: string, withMembers: boolean) =>
  rows<GroupRow>(sql`SELECT ${groupColumns(withMembers)} FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND g.id = ${id}`);

/** A page of the groups for which `condition` holds, in the order of their ids. */
export const readGroups = (
  connectionId: string,
  condition: SQL,
  { limit, offset }: { limit: number; offset: number },
  withMembers: boolean,
) =>
  rows<GroupRow>(sql`SELECT ${groupColumns(withMembers)} FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND ${condition} ORDER BY g.id LIMIT ${limit} OFFSET ${offset}`);

/** Counts the groups for which `condition` holds. */
export const countGroups = (connectionId: string, condition: SQL) =>
  rows<{ count: number }>(sql`SELECT count(*) AS count FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND ${condition}`);

/** The ids of the members that a group shows. */
export const shownMembers = ({ members }: Pick<GroupRow, "members">): readonly string[] | undefined =>
  members === null ? undefined : (JSON.parse(members) as string[]);
