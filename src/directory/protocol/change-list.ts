/** Changes the values of a list, such as the addresses of a person. */
import type { Complex, Simple } from "./attribute";
import type { Change } from "./changes";
import { ScimError } from "./error";
import { memberOf } from "./find-attribute";
import type { FilterCondition } from "./syntax";
import { MAX_VALUES, type Members, readList, readMembers, readValue, tooLarge } from "./values";

/** Returns the list after the change. `member` is the one that the path names; null: whole values are meant. */
export function changeList(attribute: Complex, list: Members[], change: Change, member: Simple | null): Members[] {
  const { verb, place, value } = change;
  const selected = place.conditions && selectionOf(attribute, place.conditions);
  if (selected === null && member === null) return changeWhole(attribute, list, change);
  const isMeant = (one: Members) => selected === null || selected.every((wanted) => isEqual(one, wanted));
  const meant = list.filter(isMeant);
  if (verb === "remove") {
    if (member === null) return list.filter((one) => !isMeant(one));
    for (const one of meant) delete one[member.name];
    return list;
  }
  // What nothing matches is made: Entra sets an address that way before there is one.
  const isNew = meant.length === 0;
  if (isNew) meant.push(Object.fromEntries((selected ?? []).map((wanted) => [wanted.member.name, wanted.value])));
  const members = member ? { [member.name]: readValue(member, value) } : readMembers(attribute, value);
  for (const one of meant) Object.assign(one, members);
  return withOnePrimary(isNew ? [...list, ...meant] : list, meant);
}

function changeWhole(attribute: Complex, list: Members[], { verb, value }: Change): Members[] {
  if (verb === "remove" && value === undefined) return [];
  const sent = readList(attribute, value);
  if (verb === "replace") return sent;
  const places = new Map(list.map((one) => [identityOf(attribute, one, verb), one]));
  if (verb === "remove") {
    const removed = new Set(sent.map((one) => identityOf(attribute, one, verb)));
    return list.filter((one) => !removed.has(identityOf(attribute, one, verb)));
  }
  const all = [...list];
  const meant = sent.map((one) => {
    const present = places.get(identityOf(attribute, one, verb));
    if (!present) all.push(one);
    return present ? Object.assign(present, one) : one;
  });
  return withOnePrimary(all, meant);
}

/** Two values are the same if they are equal and for the same use; for a removal, if they are equal. */
function identityOf({ key = "" }: Complex, one: Members, verb: Change["verb"]): string {
  const parts = verb === "remove" ? [one[key]] : [one[key], one["type"]];
  return JSON.stringify(parts).toLowerCase();
}

/** A new primary value takes the place of the former (RFC 7644 section 3.5.2). */
function withOnePrimary(list: Members[], changed: readonly Members[]): Members[] {
  if (list.length > MAX_VALUES) throw tooLarge();
  if (changed.some((one) => one["primary"] === true)) {
    const kept = new Set(changed);
    for (const one of list) if (one["primary"] === true && !kept.has(one)) one["primary"] = false;
  }
  return list;
}

interface Wanted {
  member: Simple;
  value: unknown;
}

/** What the values must be that are meant. Only equality is understood, so that a miss can be made. */
const selectionOf = (attribute: Complex, conditions: readonly FilterCondition[]): Wanted[] =>
  conditions.map(({ place, operator, value }) => {
    const member = memberOf(attribute, place.name);
    if (!member || operator !== "eq") {
      throw new ScimError(400, `This selection of ${attribute.name} is not supported.`, "invalidFilter");
    }
    return { member, value: readValue(member, value) };
  });

function isEqual(one: Members, { member, value }: Wanted): boolean {
  const present = one[member.name] ?? (member.type === "boolean" ? false : undefined);
  if (typeof present !== "string" || typeof value !== "string") return present === value;
  return present.toLowerCase() === value.toLowerCase();
}
