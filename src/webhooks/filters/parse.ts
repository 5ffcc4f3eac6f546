/** Reading filters: what `delivery.filter` can be. */
import { placeOfExact } from "../../base/exact-json";
import { isWithinDepth } from "../../base/schemas/schemas";
import { type Filter, type FilterObject, type FilterOperator, OPERATORS } from "./filter";
import { namesOf } from "./path";

const MAX_KIB = 8;
/** How deep the objects and lists of a filter may be nested. */
export const MAX_FILTER_DEPTH = 10;
const MAX_CONDITIONS = 100;
const MAX_BRANCHES = 20;
const MAX_LISTED = 100;
const ROOTS: readonly string[] = ["type", "payload"];

/** Thrown for what is no filter. `place` leads to the mistake. */
export class FilterRefused extends Error {
  constructor(
    readonly place: readonly (string | number)[],
    message: string,
  ) {
    super(message);
  }
}

type Place = readonly (string | number)[];

/** Parses a filter. Throws FilterRefused. */
export function parseFilter(value: unknown): Filter {
  // The level of the values below the deepest object counts too.
  if (!isWithinDepth(value, MAX_FILTER_DEPTH + 1)) {
    throw new FilterRefused([], `Must not be nested more than ${MAX_FILTER_DEPTH} levels deep`);
  }
  if (new TextEncoder().encode(JSON.stringify(value) ?? "").length > MAX_KIB * 1024) {
    throw new FilterRefused([], `Must have at most ${MAX_KIB} KiB`);
  }
  const exact = placeOfExact(value);
  if (exact) throw new FilterRefused(exact, "Must be a number that a double can hold");
  return new Parser().all(value, [], []);
}

class Parser {
  #conditions = 0;

  /** An object: all of its members hold. */
  all(value: unknown, names: readonly string[], place: Place): Filter {
    const members = Object.entries(objectAt(value, place));
    const compares = members.some(([key]) => isOperator(key));
    const filters = members.map(([key, operand]): Filter => {
      const at = [...place, key];
      if (key === "$and" || key === "$or") return this.#branches(key, operand, names, at);
      if (key === "$not") {
        return { kind: "not", names, filter: this.all(operand, names, at), source: operand as FilterObject };
      }
      if (isOperator(key)) return this.#condition(names, key, operand, at);
      if (key.startsWith("$")) throw new FilterRefused(at, "Unknown operator");
      if (compares) throw new FilterRefused(at, "Paths and comparisons must not be in one object");
      return this.#below([...names, ...pathAt(key, names.length === 0, at)], operand, at);
    });
    const [only] = filters;
    return only && filters.length === 1 ? only : { kind: "all", filters };
  }

  #branches(key: "$and" | "$or", operand: unknown, names: readonly string[], place: Place): Filter {
    const branches = listAt(operand, MAX_BRANCHES, "filters", place);
    const filters = branches.map((branch, index) => this.all(branch, names, [...place, index]));
    return { kind: key === "$and" ? "all" : "any", filters };
  }

  #below(names: readonly string[], operand: unknown, place: Place): Filter {
    if (typeof operand === "object" && operand !== null && !Array.isArray(operand)) {
      return this.all(operand, names, place);
    }
    return this.#condition(names, "$eq", operand, place);
  }

  #condition(names: readonly string[], operator: FilterOperator, operand: unknown, place: Place): Filter {
    if (names.length === 0) throw new FilterRefused(place, "Needs a path that begins with type or payload");
    const wrong = refuseOperand(operator, operand, place);
    if (wrong !== undefined) throw new FilterRefused(place, wrong);
    this.#conditions += 1;
    if (this.#conditions > MAX_CONDITIONS)
      throw new FilterRefused([], `Must have at most ${MAX_CONDITIONS} conditions`);
    return { kind: "condition", names, operator, operand };
  }
}

const isOperator = (key: string): key is FilterOperator => (OPERATORS as readonly string[]).includes(key);

function objectAt(value: unknown, place: Place): FilterObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FilterRefused(place, "Must be an object");
  }
  if (Object.keys(value).length === 0) throw new FilterRefused(place, "Must not be empty");
  return value as FilterObject;
}

function listAt(value: unknown, max: number, what: string, place: Place): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > max) {
    throw new FilterRefused(place, `Must be a list of 1 to ${max} ${what}`);
  }
  return value;
}

function pathAt(key: string, isRoot: boolean, place: Place): string[] {
  const names = namesOf(key);
  if (names === null)
    throw new FilterRefused(place, String.raw`Must be names with dots between them; \. and \$ escape`);
  if (isRoot && !ROOTS.includes(names[0] ?? "")) throw new FilterRefused(place, "Must begin with type or payload");
  return names;
}

/** Returns what is wrong with an operand. */
function refuseOperand(operator: FilterOperator, operand: unknown, place: Place): string | undefined {
  switch (operator) {
    case "$eq":
    case "$ne":
      return undefined;
    case "$in":
    case "$nin":
      listAt(operand, MAX_LISTED, "values", place);
      return undefined;
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return typeof operand === "number" || typeof operand === "string" ? undefined : "Must be a number or a string";
    case "$startsWith":
    case "$endsWith":
    case "$contains":
      return typeof operand === "string" ? undefined : "Must be a string";
    case "$exists":
      return typeof operand === "boolean" ? undefined : "Must be true or false";
  }
}
