/**
 * Changes of groups in D1. Members change by statements about those who come and leave, never about the list as it was
 * read, so that changes at the same time lose none. A batch begins with a statement that fails it unless all holds that
 * the change needs.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows, violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { startRoles } from "../../sign-on/rules/jobs-store";
import type { RulingDirectory } from "../../sign-on/rules/roles";
import type { GroupChange } from "../protocol/group";
import type { GroupMemberChange } from "../protocol/member-changes";
import type { StoredGroup } from "../protocol/view";
import { coming, type GroupId, isMoving, isTooLarge, leaving, ofGroup, strangers } from "./member-store";
import { giveRoles } from "./roles-store";

/** The directory as it was read: what is written holds only while its rules are the same. */
export interface WritingDirectory extends RulingDirectory {
  version: number;
}

/** How people get the roles of the rules: `later` by a job, where they are many; `none`: no rule names the group. */
export type RolesOfChange = "now" | "later" | "none";

export interface GroupWrite {
  directory: WritingDirectory;
  id: string;
  /** As it was read; null: it is new. */
  present: StoredGroup | null;
  change: GroupChange;
  /** The version that it must have; null: any. */
  onlyVersion: number | null;
  roles: RolesOfChange;
}

/** How many unknown ids an error names. */
const NAMED_IDS = 10;

/** Why nothing was written. */
export interface GroupRefusal {
  /** Null: there is no such group. */
  version: number | null;
  /** Whether the directory and its rules are as they were read. */
  isSameDirectory: 0 | 1;
  isTooLarge: 0 | 1;
  unknown: string[];
}

const groupOf = ({ directory, id }: Pick<GroupWrite, "directory" | "id">): GroupId => ({
  connectionId: directory.connectionId,
  id,
});

const groupIs = ({ connectionId, id }: GroupId): SQL => sql`connection_id = ${connectionId} AND id = ${id}`;

const isSame = ({ connectionId, version }: WritingDirectory): SQL => sql`EXISTS (SELECT 1 FROM connections c
  WHERE c.id = ${connectionId} AND c.version = ${version} AND c.state <> 'disabled')`;

/** Fails the batch unless the condition holds. */
const only = ({ connectionId, id }: GroupId, condition: SQL): SQL =>
  sql`INSERT INTO directory_members (connection_id, group_id, person_id) SELECT ${connectionId}, ${id}, NULL
    WHERE NOT (${condition})`;

/** Whether that has failed it. */
const isRefused = (error: unknown): boolean => violates(error, "NOT NULL", "directory_members.person_id");

/** Writes the change, as far as it changes anything. Returns why not. Throws where the name is taken. */
export async function writeGroup(
  deps: Deps,
  write: GroupWrite,
  most: number,
  nowMs: number,
): Promise<GroupRefusal | undefined> {
  try {
    await atomically(deps.db, {
      checked: only(groupOf(write), isPossible(write, most)),
      // Before anything changes, while it can be told whether something does.
      job: write.roles === "later" ? startRoles(write.directory, isNews(write), nowMs) : undefined,
      written: write.present === null ? insertGroup(write, nowMs) : updateGroup(write, write.present, nowMs),
      ...moveMembers(write, nowMs),
    });
  } catch (error) {
    if (isRefused(error)) return readRefusal(deps, write);
    throw error;
  }
}

function isPossible(write: GroupWrite, most: number): SQL {
  const { directory, present, change, onlyVersion } = write;
  const group = groupOf(write);
  const place =
    present === null
      ? sql`(SELECT c.directory_groups FROM connections c WHERE c.id = ${group.connectionId}) < ${most}`
      : sql`EXISTS (SELECT 1 FROM directory_groups WHERE ${groupIs(group)}
          AND (${onlyVersion} IS NULL OR version = ${onlyVersion}))`;
  return sql`${isSame(directory)} AND ${place} AND NOT ${isTooLarge(group, change.members)}
    AND NOT EXISTS (${strangers(group, change.members)})`;
}

const isRenamed = ({ present, change }: GroupWrite): boolean =>
  present?.displayName !== change.displayName || present.externalId !== change.externalId;

/** Holds if the change changes anything. */
const isNews = (write: GroupWrite): SQL =>
  isRenamed(write) ? sql`true` : isMoving(groupOf(write), write.change.members);

function insertGroup({ directory, id, change }: GroupWrite, nowMs: number): SQL {
  const { displayName, externalId } = change;
  return sql`INSERT INTO directory_groups (connection_id, id, name_key, display_name, external_id, version, created_at,
      updated_at)
    VALUES (${directory.connectionId}, ${id}, ${displayName.toLowerCase()}, ${displayName}, ${externalId}, 1, ${nowMs},
      ${nowMs})`;
}

/** What a request leaves as it was read stays, whatever another request makes of it meanwhile. */
function updateGroup(write: GroupWrite, present: StoredGroup, nowMs: number): SQL {
  const { displayName, externalId } = write.change;
  const name = sql`display_name = ${displayName}, name_key = ${displayName.toLowerCase()},`;
  return sql`UPDATE directory_groups SET ${displayName === present.displayName ? sql`` : name}
      ${externalId === present.externalId ? sql`` : sql`external_id = ${externalId},`}
      version = version + 1, updated_at = ${nowMs}
    WHERE ${groupIs(groupOf(write))} AND ${isNews(write)}`;
}

function moveMembers(write: GroupWrite, nowMs: number) {
  const { directory, id, present, change, roles } = write;
  const { members } = change;
  const group = groupOf(write);
  const [comes, leaves] = [members.added.length > 0, present !== null && canLeave(members)];
  const leavers = sql`d.id IN (SELECT m.person_id FROM directory_members m WHERE ${leaving(group, members)})`;
  const comers = sql`d.id IN (SELECT value FROM json_each(${jsonList(members.added)}))`;
  return {
    // Before they leave, while it can be told who they are.
    rolesOfLeavers: leaves && roles === "now" ? giveRoles(directory, leavers, nowMs, id) : undefined,
    left: leaves ? sql`DELETE FROM directory_members AS m WHERE ${leaving(group, members)}` : undefined,
    came: comes
      ? sql`INSERT INTO directory_members (connection_id, group_id, person_id)
          SELECT ${group.connectionId}, ${id}, a.value FROM ${coming(group, members)}`
      : undefined,
    rolesOfComers: comes && roles === "now" ? giveRoles(directory, comers, nowMs) : undefined,
  };
}

const canLeave = ({ isReplacement, removed }: GroupMemberChange): boolean => isReplacement || removed.length > 0;

async function readRefusal({ db }: Deps, write: GroupWrite): Promise<GroupRefusal> {
  const group = groupOf(write);
  const { members } = write.change;
  const { found, unknown } = await atomically(db, {
    found: rows<Omit<GroupRefusal, "unknown">>(sql`SELECT ${isSame(write.directory)} AS isSameDirectory,
      ${isTooLarge(group, members)} AS isTooLarge, 
      (SELECT version FROM directory_groups WHERE ${groupIs(group)}) AS version`),
    unknown: rows<{ id: string }>(sql`${strangers(group, members)} LIMIT ${NAMED_IDS}`),
  });
  const [row = { version: null, isSameDirectory: 0, isTooLarge: 0 }] = found;
  return { ...row, unknown: unknown.map(({ id }) => id) };
}

/** Deletes a group. Returns whether it was there, and had the version that it must have. */
export async function deleteGroup(
  { db }: Deps,
  { directory, id, onlyVersion, roles }: Pick<GroupWrite, "directory" | "id" | "onlyVersion" | "roles">,
  nowMs: number,
): Promise<boolean> {
  const group = groupOf({ directory, id });
  const stands = sql`EXISTS (SELECT 1 FROM directory_groups WHERE ${groupIs(group)}
    AND (${onlyVersion} IS NULL OR version = ${onlyVersion})) AND ${isSame(directory)}`;
  const members = sql`d.id IN (SELECT m.person_id FROM directory_members m WHERE ${ofGroup(group)})`;
  try {
    await atomically(db, {
      checked: only(group, stands),
      roles: roles === "now" ? giveRoles(directory, members, nowMs, id) : undefined,
      job: roles === "later" ? startRoles(directory, sql`true`, nowMs) : undefined,
      left: sql`DELETE FROM directory_members AS m WHERE ${ofGroup(group)}`,
      deleted: sql`DELETE FROM directory_groups WHERE ${groupIs(group)}`,
    });
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
