/** A group as a directory describes it, and what a request does to its members. */
import { lowerUuid } from "../../base/uuid";
import { type Change, readChanges } from "./changes";
import { invalidValue, ScimError } from "./error";
import { findAttribute } from "./find-attribute";
import { GROUP } from "./kinds";
import { type GroupMemberChange, MemberChanges, readMemberIds } from "./member-changes";
import { type ReadOnly, refuseOther } from "./read-only";
import type { FilterCondition } from "./syntax";
import { isObject, readValue } from "./values";
import { metaOf, type StoredGroup } from "./view";

/** What a group becomes. */
export interface GroupChange {
  displayName: string;
  externalId: string | null;
  members: GroupMemberChange;
}

type Draft = { displayName?: unknown; externalId?: unknown };

/** Reads the body that makes a group. */
export const readGroup = (body: unknown): GroupChange => readWhole({}, body);

/** Reads the body that replaces one. Without `externalId` and `members` these stay. */
export const replaceGroup = ({ externalId }: StoredGroup, body: unknown): GroupChange =>
  readWhole(externalId === null ? {} : { externalId }, body);

function readWhole(draft: Draft, body: unknown): GroupChange {
  if (!isObject(body)) throw invalidValue("The body must be an object.");
  const members = new MemberChanges();
  for (const [name, value] of Object.entries(body)) {
    const { attribute, member } = findAttribute(GROUP, name) ?? {};
    if (!attribute || member || attribute.mutability === "readOnly") continue;
    if (attribute.name !== "members") setText(draft, attribute.name, readValue(attribute, value));
    else if (value !== null) members.replace(readMemberIds(value));
  }
  return finished(draft, members);
}

/** Changes a group by a PATCH: all of its operations, or none. */
export function patchGroup(present: StoredGroup, body: unknown): GroupChange {
  const { id, displayName, externalId } = present;
  const draft: Draft = { displayName, ...(externalId === null ? {} : { externalId }) };
  const members = new MemberChanges();
  const now: ReadOnly = { id, meta: metaOf(GROUP, present), groups: [] };
  for (const change of readChanges(GROUP, body)) apply(draft, members, change, now);
  return finished(draft, members);
}

function apply(draft: Draft, members: MemberChanges, change: Change, now: ReadOnly): void {
  const { verb, place, value } = change;
  const { attribute, member } = findAttribute(GROUP, place.name) ?? {};
  if (!attribute) return;
  if (attribute.mutability === "readOnly") {
    refuseOther(GROUP, attribute, change, now);
    return;
  }
  if (verb !== "remove" && value === undefined) throw invalidValue(`${attribute.name} has no value.`);
  if (attribute.name === "members") {
    if (member) throw new ScimError(400, "The members of a group change as a whole.", "invalidPath");
    changeMembers(members, change);
  } else if (place.conditions) throw new ScimError(400, `${attribute.name} is no list.`, "invalidPath");
  else setText(draft, attribute.name, verb === "remove" ? undefined : readValue(attribute, value));
}

/**
 * A removal of some takes these and no others: clients send them as a list or as a selection, and a server that does
 * not understand either would empty the group. Null stands for no list at all.
 */
function changeMembers(members: MemberChanges, { verb, place, value }: Change): void {
  if (place.conditions) {
    if (verb !== "remove") throw new ScimError(400, "Members have nothing to change.", "noTarget");
    const id = selectedId(place.conditions);
    // What is kept of a member is its id alone.
    if (place.member === null) members.remove([id]);
  } else if (verb === "remove" && value === undefined) members.replace([]);
  else if (value !== null) members[verb](readMemberIds(value));
}

/** The id of `members[value eq "…"]`. */
function selectedId([condition, ...others]: readonly FilterCondition[]): string {
  const isId = condition?.place.name.toLowerCase() === "value" && condition.operator === "eq";
  if (isId && typeof condition.value === "string" && others.length === 0) return lowerUuid(condition.value);
  throw new ScimError(400, "This selection of members is not supported.", "invalidFilter");
}

function setText(draft: Draft, name: string, value: unknown): void {
  if (name === "displayName" || name === "externalId") draft[name] = value;
}

function finished({ displayName, externalId }: Draft, members: MemberChanges): GroupChange {
  if (typeof displayName !== "string") throw invalidValue("displayName is required.");
  return { displayName, externalId: typeof externalId === "string" ? externalId : null, members: members.result() };
}
