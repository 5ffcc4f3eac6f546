/** What of a resource an answer has: `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
import { GROUP, USER } from "./kinds";

/** The texts of the query; undefined: not sent. */
export interface AskedAttributes {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** A resource is not understood without them. */
const ALWAYS: ReadonlySet<string> = new Set(["id", "schemas"]);

/** Attributes in lower case, each with the members that are named; null: the whole attribute. */
type Names = ReadonlyMap<string, ReadonlySet<string> | null>;

export function project<T extends object>(resource: T, asked: AskedAttributes): Record<string, unknown> {
  const wanted = namesIn(asked.attributes);
  const unwanted = namesIn(asked.excludedAttributes) ?? new Map();
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(resource)) {
    const kept = ALWAYS.has(name) ? value : part(name, value, wanted, unwanted);
    if (kept !== undefined) shown[name] = kept;
  }
  return shown;
}

/** Whether the answer has this attribute of the resource, so that it must be read. */
export const asksFor = (asked: AskedAttributes, name: string): boolean => name in project({ [name]: {} }, asked);

function part(name: string, value: unknown, wanted: Names | null, unwanted: Names): unknown {
  const key = name.toLowerCase();
  if (unwanted.get(key) === null || (wanted && !wanted.has(key))) return undefined;
  const only = wanted?.get(key);
  const without = unwanted.get(key);
  return membersOf(value, (member) => (!only || only.has(member)) && !without?.has(member));
}

/** Keeps the members of an object, or of each object of a list. */
function membersOf(value: unknown, isKept: (member: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => membersOf(one, isKept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([member]) => isKept(member.toLowerCase())));
}

/** Null: nothing was named. Names that nothing has count, and match nothing. */
function namesIn(list: string | undefined): Names | null {
  if (list === undefined || list.trim() === "") return null;
  const names = new Map<string, Set<string> | null>();
  for (const sent of list.split(",")) {
    const [name, member] = split(sent.trim().toLowerCase());
    const known = names.get(name);
    if (member === null) names.set(name, null);
    else if (known !== null) names.set(name, (known ?? new Set()).add(member));
  }
  return names;
}

const CORE_URNS = [USER, GROUP].map(({ core }) => `${core.id.toLowerCase()}:`);
const EXTENSION_URN = USER.extension?.id.toLowerCase() ?? "";

/** An attribute and its member: of an extension, its URN is the attribute, and its attributes are the members. */
function split(name: string): [name: string, member: string | null] {
  if (name === EXTENSION_URN) return [name, null];
  if (name.startsWith(`${EXTENSION_URN}:`)) {
    const [attribute = ""] = name.slice(EXTENSION_URN.length + 1).split(".", 1);
    return [EXTENSION_URN, attribute];
  }
  const urn = CORE_URNS.find((one) => name.startsWith(one)) ?? "";
  const bare = name.slice(urn.length);
  const dot = bare.indexOf(".");
  return dot < 0 ? [bare, null] : [bare.slice(0, dot), bare.slice(dot + 1)];
}
