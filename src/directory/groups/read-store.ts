/** Groups in D1, as they are read. A caller reads those of its connection alone. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { StoredGroup } from "../protocol/view";

/** The members of a group with more are left out: half of a list would say that the others are not in it. */
const MAX_SHOWN_MEMBERS = 1_000;
/** So many members are counted: whoever changes them asks whether they are more than 500. */
const MOST_COUNTED = 501;

/** What is read of the members: their ids to show them, their number to change them. */
export type ReadMembers = "ids" | "number" | "nothing";

export interface GroupRow extends StoredGroup {
  /** How many members it has, up to 501; null: that was not asked for. */
  size: number | null;
  /** Their ids, as JSON; null: they were not asked for, or are too many. */
  members: string | null;
}

const OF_GROUP = sql`FROM directory_members gm WHERE gm.connection_id = g.connection_id AND gm.group_id = g.id`;

const MEMBERS = sql`(SELECT iif(count(*) > ${MAX_SHOWN_MEMBERS}, NULL, json_group_array(s.person_id))
  FROM (SELECT gm.person_id ${OF_GROUP} LIMIT ${MAX_SHOWN_MEMBERS + 1}) s)`;

const SIZE = sql`(SELECT count(*) FROM (SELECT 1 ${OF_GROUP} LIMIT ${MOST_COUNTED}))`;

/** The columns of a group `g`. */
const groupColumns = (members: ReadMembers): SQL => sql`g.id, g.display_name AS displayName,
  g.external_id AS externalId, g.version, g.created_at AS createdAt, g.updated_at AS updatedAt,
  ${members === "number" ? SIZE : sql`NULL`} AS size, ${members === "ids" ? MEMBERS : sql`NULL`} AS members`;

export const findGroup = (connectionId: string, id: string, members: ReadMembers) =>
  rows<GroupRow>(sql`SELECT ${groupColumns(members)} FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND g.id = ${id}`);

/** A page of the groups for which `condition` holds, in the order of their ids. */
export const readGroups = (
  connectionId: string,
  condition: SQL,
  { limit, offset }: { limit: number; offset: number },
  members: ReadMembers,
) =>
  rows<GroupRow>(sql`SELECT ${groupColumns(members)} FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND ${condition} ORDER BY g.id LIMIT ${limit} OFFSET ${offset}`);

/** The groups after an id, with the numbers of their members. */
export const readGroupsAfter = (connectionId: string, after: string, limit: number) =>
  readGroups(connectionId, sql`g.id > ${after}`, { limit, offset: 0 }, "number");

/** Counts the groups for which `condition` holds. */
export const countGroups = (connectionId: string, condition: SQL) =>
  rows<{ count: number }>(sql`SELECT count(*) AS count FROM directory_groups g
    WHERE g.connection_id = ${connectionId} AND ${condition}`);

/** The ids of the members that a group shows. */
export const shownMembers = ({ members }: Pick<GroupRow, "members">): readonly string[] | undefined =>
  members === null ? undefined : (JSON.parse(members) as string[]);
