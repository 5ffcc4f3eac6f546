/** Changes a person by a PATCH: all of its operations, or none. */
import type { Attribute, Complex, Simple } from "./attribute";
import { changeList } from "./change-list";
import { type Change, readChanges } from "./changes";
import { invalidValue, ScimError } from "./error";
import { findAttribute, memberOf } from "./find-attribute";
import { USER } from "./kinds";
import { type ReadOnly, refuseOther } from "./read-only";
import { type DirectoryUser, finished, type UserDraft } from "./user";
import { isObject, type Members, readValue } from "./values";
import { metaOf, type StoredUser } from "./view";

/** Returns the record after all operations. What the directory may send and is not kept changes nothing. */
export function patchUser(present: StoredUser, body: unknown): DirectoryUser {
  const draft = structuredClone(present.record) as unknown as UserDraft;
  const now: ReadOnly = {
    id: present.id,
    meta: metaOf(USER, present),
    groups: present.groups.map(({ value }) => value),
  };
  for (const change of readChanges(USER, body)) apply(draft, change, now);
  return finished(draft);
}

function apply(draft: UserDraft, change: Change, now: ReadOnly): void {
  const { verb, place, value } = change;
  const found = findAttribute(USER, place.name);
  if (!found?.attribute) return;
  const { attribute, schema } = found;
  if (attribute.mutability === "readOnly") {
    refuseOther(USER, attribute, change, now);
    return;
  }
  if (verb !== "remove" && value === undefined) throw invalidValue(`${attribute.name} has no value.`);
  const isExtension = schema === USER.extension;
  const holder = isExtension ? { ...(draft[schema.id] as Members | undefined) } : draft;
  if (isExtension) draft[schema.id] = holder;
  set(holder, attribute, change, found.member);
}

function set(holder: UserDraft, attribute: Attribute, change: Change, named: Simple | null): void {
  const { name } = attribute;
  const { place } = change;
  if (attribute.type === "complex" && attribute.multiValued) {
    const member = place.member === null ? named : (memberOf(attribute, place.member) ?? null);
    // A member that is not kept.
    if (place.member !== null && member === null) return;
    holder[name] = changeList(attribute, (holder[name] ?? []) as Members[], change, member);
    return;
  }
  if (place.conditions) throw new ScimError(400, `${name} is no list.`, "invalidPath");
  if (attribute.type === "complex") holder[name] = membersAfter(attribute, holder[name], change, named);
  else {
    const value = change.verb === "remove" ? undefined : readValue(attribute, change.value);
    // Whether somebody is active is always known.
    if (name !== "active" || value !== undefined) holder[name] = value;
  }
}

/** A complex value keeps the members that are not named; with another key, it is another value. */
function membersAfter(attribute: Complex, present: unknown, change: Change, named: Simple | null): Members | undefined {
  const { verb, value } = change;
  const before = isObject(present) ? present : {};
  if (verb === "remove") return named ? { ...before, [named.name]: undefined } : undefined;
  const sent = named ? { [named.name]: readValue(named, value) } : readValue(attribute, value);
  if (sent === undefined) return undefined;
  const members = sent as Members;
  const key = attribute.key ?? "";
  const isOther = members[key] !== undefined && members[key] !== before[key];
  return isOther ? members : { ...before, ...members };
}
