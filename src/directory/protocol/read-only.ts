/** What only we write. A client that sends it as it is changes nothing; all else is refused. */
import type { Attribute, ResourceKind } from "./attribute";
import type { Change } from "./changes";
import { ScimError } from "./error";
import { isObject } from "./values";

/** The present values of what is read-only: `id`, `meta` without its address, and the ids of groups. */
export interface ReadOnly {
  id: string;
  meta: Readonly<Record<string, string>>;
  groups: readonly string[];
}

/** Throws 400 `mutability` unless the change leaves everything as it is. */
export function refuseOther(kind: ResourceKind, attribute: Attribute, { verb, place, value }: Change, now: ReadOnly) {
  const isWhole = place.conditions === null && !place.name.includes(`${attribute.name}.`);
  if (verb !== "remove" && isWhole && isSame(kind, attribute.name, value, now)) return;
  throw new ScimError(400, `${attribute.name} cannot be changed.`, "mutability");
}

function isSame(kind: ResourceKind, name: string, value: unknown, { id, meta, groups }: ReadOnly): boolean {
  if (name === "id") return value === id;
  if (name === "groups") return Array.isArray(value) && isSameSet(value.map(idOf), groups);
  const isOurs = ([member, sent]: [string, unknown]) =>
    member === "location" ? String(sent).endsWith(`${kind.endpoint}/${id}`) : meta[member] === sent;
  return isObject(value) && Object.entries(value).every(isOurs);
}

const idOf = (group: unknown): unknown => (isObject(group) ? group["value"] : group);

function isSameSet(sent: readonly unknown[], present: readonly string[]): boolean {
  const ids = new Set(sent);
  return ids.size === present.length && present.every((id) => ids.has(id));
}
