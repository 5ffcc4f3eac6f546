/** The keywords of JSON Schema that a schema can have, and what each must be. */
import { isObject } from "./canonical";
import { FORMATS } from "./formats";

/** Which subschemas are in the value of a keyword. */
type Holds = "schema" | "schemas" | "named schemas";

/** What is wrong with the value of a keyword; null if nothing is. */
type Refusal = string | null;

export const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

const NAMED = ["$defs", "properties", "patternProperties", "dependentSchemas"];
const LISTED = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE = [
  ...["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];

/** The keywords with subschemas. */
export const APPLICATORS: ReadonlyMap<string, Holds> = new Map([
  ...NAMED.map((keyword) => [keyword, "named schemas"] as const),
  ...LISTED.map((keyword) => [keyword, "schemas"] as const),
  ...SINGLE.map((keyword) => [keyword, "schema"] as const),
]);

/** The keywords whose subschemas are for the same value as the schema itself. */
export const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

const anything = (): Refusal => null;
const text = (value: unknown): Refusal => (typeof value === "string" ? null : "Must be a string");
const flag = (value: unknown): Refusal => (typeof value === "boolean" ? null : "Must be true or false");
const number = (value: unknown): Refusal => (typeof value === "number" ? null : "Must be a number");
const list = (value: unknown): Refusal => (Array.isArray(value) ? null : "Must be a list");
const count = (value: unknown): Refusal =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? null : "Must be an integer of 0 or more";
const names = (value: unknown): Refusal => {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList || new Set(value).size !== value.length) return "Must be a list of different names";
  return value.map(refuseName).find((refusal) => refusal !== null) ?? null;
};

const MAX_NAME_CHARACTERS = 256;

/** What is wrong with the name of a property: V8 tells long names apart slowly, and each path repeats it. */
export const refuseName = (name: string): Refusal =>
  name.length > MAX_NAME_CHARACTERS ? `A name must have at most ${MAX_NAME_CHARACTERS} characters` : null;

/** The keywords that say nothing about which values are valid. */
export const ANNOTATIONS: Readonly<Record<string, (value: unknown) => Refusal>> = {
  title: text,
  description: text,
  $comment: text,
  contentEncoding: text,
  contentMediaType: text,
  default: anything,
  examples: list,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  contentSchema: anything,
};

/** The keywords without subschemas. */
export const KEYWORDS: Readonly<Record<string, (value: unknown) => Refusal>> = {
  ...ANNOTATIONS,
  $schema: (value) => (value === DRAFT ? null : `Must be ${DRAFT}`),
  $ref: (value) => (typeof value === "string" && /^#(\/|$)/.test(value) ? null : "Must be # or begin with #/"),
  type: (value) => {
    const types = [value].flat();
    const isKnown = types.every((type) => typeof type === "string" && TYPES.includes(type));
    return isKnown && types.length > 0 && new Set(types).size === types.length
      ? null
      : `Must be of ${TYPES.join(", ")}, or a list of different ones`;
  },
  enum: (value) => (Array.isArray(value) && value.length > 0 ? null : "Must be a list of values"),
  const: anything,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: (value) => (typeof value === "number" && value > 0 ? null : "Must be a number above 0"),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  required: names,
  dependentRequired: (value) =>
    isObject(value) && Object.entries(value).every(([name, given]) => (refuseName(name) ?? names(given)) === null)
      ? null
      : `Must have a list of different names, of at most ${MAX_NAME_CHARACTERS} characters, for each name`,
  format: (value) =>
    typeof value === "string" && Object.hasOwn(FORMATS, value) ? null : `Must be of ${Object.keys(FORMATS).join(", ")}`,
  // Compiled where the schema is.
  pattern: text,
};

/** What is wrong with a name in `patternProperties`: it must be a prefix. */
export const refusePrefix = (name: string): Refusal =>
  /^\^[A-Za-z0-9_.-]+$/.test(name) ? null : "Must be ^ and a prefix of letters, digits, _, . and -";
