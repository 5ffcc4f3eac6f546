/** Who comes into a group and who leaves it, as conditions of SQL. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList } from "../../base/db/client";
import { type GroupMemberChange, MAX_MEMBERS } from "../protocol/member-changes";

/** A group of a directory. */
export interface GroupId {
  connectionId: string;
  id: string;
}

/** Holds for the members `m` of the group. */
export const ofGroup = ({ connectionId, id }: GroupId): SQL =>
  sql`m.connection_id = ${connectionId} AND m.group_id = ${id}`;

/** Holds for the members `m` of the group who leave. */
export const leaving = (group: GroupId, { isReplacement, added, removed }: GroupMemberChange): SQL =>
  isReplacement
    ? sql`${ofGroup(group)} AND m.person_id NOT IN (SELECT value FROM json_each(${jsonList(added)}))`
    : sql`${ofGroup(group)} AND m.person_id IN (SELECT value FROM json_each(${jsonList(removed)}))`;

/** What follows FROM: the ids `a.value` of those who come. */
export const coming = (group: GroupId, { added }: GroupMemberChange): SQL => sql`json_each(${jsonList(added)}) a
  WHERE NOT EXISTS (SELECT 1 FROM directory_members m WHERE ${ofGroup(group)} AND m.person_id = a.value)`;

/** Selects the ids of those who would come and are no records of the directory. */
export const strangers = (
  group: GroupId,
  change: GroupMemberChange,
): SQL => sql`SELECT a.value AS id FROM ${coming(group, change)}
  AND NOT EXISTS (SELECT 1 FROM directory_users d WHERE d.connection_id = ${group.connectionId} AND d.id = a.value
    AND d.state <> 'removed')`;

/** Holds if somebody comes or leaves. */
export const isMoving = (group: GroupId, change: GroupMemberChange): SQL =>
  sql`(EXISTS (SELECT 1 FROM ${coming(group, change)})
    OR EXISTS (SELECT 1 FROM directory_members m WHERE ${leaving(group, change)}))`;

/** Holds if the group would have too many members. */
export const isTooLarge = (group: GroupId, change: GroupMemberChange): SQL =>
  change.isReplacement || change.added.length === 0
    ? sql`0`
    : sql`((SELECT count(*) FROM directory_members m WHERE ${ofGroup(group)})
        - (SELECT count(*) FROM directory_members m WHERE ${leaving(group, change)})
        + (SELECT count(*) FROM ${coming(group, change)}) > ${MAX_MEMBERS})`;
