/** What a directory does with the groups that it keeps here. */
import { atomically, violates } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { CAPS } from "../../base/limits/caps";
import { isRuled } from "../../sign-on/rules/roles";
import { invalidValue, ScimError } from "../protocol/error";
import type { GroupChange } from "../protocol/group";
import { tooManyMembers } from "../protocol/member-changes";
import { tellOfLeavers } from "../users/tell";
import {
  deleteGroup,
  type GroupRefusal,
  type GroupWrite,
  type RolesOfChange,
  type WritingDirectory,
  writeGroup,
} from "./change-store";
import { findGroup, type GroupRow } from "./read-store";

/** Whom the rules give other roles at once; more get them from a job. */
const MAX_ROLES_AT_ONCE = 500;
const MANY = Number.POSITIVE_INFINITY;

/** Makes a group. Returns its id. Throws 400 for unknown members, 403 at the cap and 409 for a taken name. */
export async function createGroup(deps: Deps, directory: WritingDirectory, change: GroupChange): Promise<string> {
  const id = newId();
  const roles = rolesOf(directory, id, [change.displayName], change.members.added.length);
  const refusal = await write(deps, { directory, id, present: null, change, onlyVersion: null, roles });
  if (!refusal) return id;
  refuseMembers(refusal);
  if (refusal.isSameDirectory === 0) throw tooOften();
  throw new ScimError(403, `A ${CAPS.directoryUsers.per} can have at most ${mostGroups(deps)} groups.`);
}

/**
 * Changes a group. Writes nothing where nothing changes. Throws 404, 400, 409, and 412 unless it has the version that
 * it must have.
 */
export async function changeGroup(
  deps: Deps,
  directory: WritingDirectory,
  present: GroupRow,
  change: GroupChange,
  onlyVersion: number | null,
): Promise<void> {
  const { id, displayName, size } = present;
  const { isReplacement, added, removed } = change.members;
  const isRenamed = change.displayName !== displayName;
  const people = isRenamed ? MANY : added.length + (isReplacement ? (size ?? MANY) : removed.length);
  const roles = rolesOf(directory, id, [displayName, change.displayName], people);
  const refusal = await write(deps, { directory, id, present, change, onlyVersion, roles });
  if (!refusal) return tellOfLeavers(deps, directory);
  if (refusal.version === null) throw noGroup(id);
  if (onlyVersion !== null && refusal.version !== onlyVersion) throw otherVersion();
  refuseMembers(refusal);
  throw tooOften();
}

/** Throws 404, and 412 for another version. */
export async function removeGroup(
  deps: Deps,
  directory: WritingDirectory,
  { id, displayName, size }: GroupRow,
  onlyVersion: number | null,
): Promise<void> {
  const roles = rolesOf(directory, id, [displayName], size ?? MANY);
  if (await deleteGroup(deps, { directory, id, onlyVersion, roles }, deps.now())) return tellOfLeavers(deps, directory);
  const present = await readGroup(deps, directory.connectionId, id);
  throw onlyVersion !== null && present.version !== onlyVersion ? otherVersion() : tooOften();
}

/** Throws 404. */
export async function readGroup(deps: Deps, connectionId: string, id: string): Promise<GroupRow> {
  const { found } = await atomically(deps.db, { found: findGroup(connectionId, id, "ids") });
  const [group] = found;
  if (!group) throw noGroup(id);
  return group;
}

/** What a rule does not name gives nobody a role. */
function rolesOf({ roles }: WritingDirectory, id: string, names: string[], people: number): RolesOfChange {
  if (!isRuled(roles, id, names)) return "none";
  return people > MAX_ROLES_AT_ONCE ? "later" : "now";
}

/** A directory can have as many groups as people. */
const mostGroups = ({ config }: Deps): number => config.caps.directoryUsers;

async function write(deps: Deps, change: GroupWrite): Promise<GroupRefusal | undefined> {
  try {
    return await writeGroup(deps, change, mostGroups(deps), deps.now());
  } catch (error) {
    if (!violates(error, "UNIQUE", "directory_groups.name_key")) throw error;
    throw new ScimError(409, `There is a Group with the displayName ${change.change.displayName}.`, "uniqueness");
  }
}

function refuseMembers({ unknown, isTooLarge }: GroupRefusal): void {
  if (unknown.length > 0) throw invalidValue(`These are no Users here: ${unknown.join(", ")}.`);
  if (isTooLarge === 1) throw tooManyMembers();
}

export const noGroup = (id: string) => new ScimError(404, `There is no Group ${id}.`);

const otherVersion = () => new ScimError(412, "The resource has another version.");
const tooOften = () => new ScimError(409, "The directory's settings were changed at the same time. Try again.");
