/** Reads the values that clients send for attributes. What is not kept is left out. */
import type { Attribute, Complex, Simple } from "./attribute";
import { invalidValue, ScimError } from "./error";
import { memberOf } from "./find-attribute";

/** The bytes of a record as JSON in UTF-8. */
export const MAX_RECORD_BYTES = 8 * 1_024;
/** More values of the shortest form do not fit into a record. */
export const MAX_VALUES = Math.floor(MAX_RECORD_BYTES / '{"value":"a"},'.length);

/** The members of a complex value. One that is undefined has no value, and takes that of the record away. */
export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of an attribute as it is kept; undefined for null, an empty text and an empty list, which are no value. */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (attribute.type === "complex" && attribute.multiValued) return readList(attribute, value);
  const one = onlyOne(attribute, value);
  if (one === null || one === undefined || one === "") return undefined;
  return attribute.type === "complex" ? readMembers(attribute, one) : readSimple(attribute, one);
}

/** Directories send lists of one for attributes that have no list. */
function onlyOne(attribute: Attribute, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (value.length > 1) throw invalidValue(`${attribute.name} takes one value.`);
  return value[0];
}

function readSimple(attribute: Simple, value: unknown): unknown {
  if (attribute.type === "boolean") return readTruth(attribute, value);
  if (typeof value !== "string") throw invalidValue(`${attribute.name} must be a text.`);
  // Half a character has no UTF-8, and SQLite's JSON ends a text at a NUL.
  if (!value.isWellFormed() || value.includes("\0")) throw invalidValue(`${attribute.name} has no well-formed text.`);
  return value;
}

function readTruth(attribute: Simple, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw invalidValue(`${attribute.name} must be true or false.`);
}

/** The members of a value; a text stands for its key. */
export function readMembers(attribute: Complex, value: unknown): Members {
  if (typeof value === "string" && attribute.key !== undefined)
    return readMembers(attribute, { [attribute.key]: value });
  if (!isObject(value)) throw invalidValue(`${attribute.name} must be an object.`);
  const members: Members = {};
  for (const [name, sent] of Object.entries(value)) {
    const member = memberOf(attribute, name);
    if (member) members[member.name] = readValue(member, sent);
  }
  return members;
}

/** The values of a list; a value alone stands for a list of it. Throws 413 for more than a record holds. */
export function readList(attribute: Complex, value: unknown): Members[] {
  if (value === null || value === undefined || value === "") return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MAX_VALUES) throw tooLarge();
  return list.map((one) => readMembers(attribute, one));
}

export const tooLarge = () => new ScimError(413, `A record has at most ${MAX_RECORD_BYTES / 1_024} KiB.`);
