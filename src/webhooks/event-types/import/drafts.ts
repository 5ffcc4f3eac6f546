/** Keywords of earlier drafts of JSON Schema and of OpenAPI 3.0, as those of draft 2020-12 that mean the same. */
import { isObject } from "../json-schema/canonical";
import { APPLICATORS, DRAFT } from "../json-schema/keywords";

type Keywords = Record<string, unknown>;

/** In these, nothing counts beside a `$ref`. */
const OLD_DRAFT = /^https?:\/\/json-schema\.org\/draft-0[4-7]\/schema#?$/;
/** Dialects whose schemas are read as they are: the drafts after those, and the ones of OpenAPI 3.1 and 3.2. */
const LATER_DRAFT = /^https?:\/\/json-schema\.org\/draft\/20(?:19-09|20-12)\/schema#?$/;
const OPENAPI_DIALECT = /^https?:\/\/spec\.openapis\.org\/oas\/3\.\d\/(?:dialect|schema-base)(?:\/[\w.-]*)?#?$/;

/** What schemas of OpenAPI 3.0 are read as: like those of that draft, they are nothing beside a `$ref`. */
export const OPENAPI_3_0 = "http://json-schema.org/draft-04/schema#";

export const isOldDraft = (dialect: unknown): boolean => typeof dialect === "string" && OLD_DRAFT.test(dialect);

/** Whether a `$schema` can be left out, because the schema is read as it says. */
export const isReadDialect = (dialect: unknown): boolean =>
  typeof dialect === "string" &&
  dialect !== DRAFT &&
  [OLD_DRAFT, LATER_DRAFT, OPENAPI_DIALECT].some((pattern) => pattern.test(dialect));

/** Keywords with which `null` may not fit although `type` allows it. */
const COMBINED = ["$ref", "allOf", "anyOf", "oneOf"];

/** Returns the schema, not its subschemas, in keywords of draft 2020-12. What has no counterpart stays as it is. */
export function inDraft2020(schema: Keywords): Keywords {
  const renamed = [definitions, tuple, dependencies, bounds, nullable, distinct];
  return renamed.reduce((before, read) => read(before), schema);
}

/** The same for a schema that is registered by itself: only what its draft defines is read so. */
export const strictlyInDraft2020 = (schema: Keywords, isOld: boolean): Keywords =>
  (isOld ? [definitions, tuple, dependencies, bounds] : [definitions]).reduce((before, read) => read(before), schema);

const without = (schema: Keywords, ...keywords: string[]): Keywords =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

function definitions(schema: Keywords): Keywords {
  const { definitions: older, $defs = {} } = schema;
  const isClear = isObject(older) && isObject($defs) && Object.keys(older).every((name) => !Object.hasOwn($defs, name));
  return isClear ? { ...without(schema, "definitions", "$defs"), $defs: { ...older, ...$defs } } : schema;
}

/** A list of schemas for the first items. */
function tuple(schema: Keywords): Keywords {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return additionalItems === undefined ? schema : without(schema, "additionalItems");
  const rest = without(schema, "items", "additionalItems");
  return {
    ...rest,
    ...(items.length > 0 ? { prefixItems: items } : {}),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}

function dependencies(schema: Keywords): Keywords {
  const { dependencies: all } = schema;
  if (!isObject(all) || schema["dependentRequired"] !== undefined || schema["dependentSchemas"] !== undefined) {
    return schema;
  }
  const [required, schemas] = [true, false].map((isList) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => Array.isArray(value) === isList)),
  );
  const given = Object.entries({ dependentRequired: required, dependentSchemas: schemas });
  const used = given.filter(([, named]) => Object.keys(named ?? {}).length > 0);
  return { ...without(schema, "dependencies"), ...Object.fromEntries(used) };
}

/** `exclusiveMinimum: true` is said of `minimum`. */
function bounds(schema: Keywords): Keywords {
  return [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ].reduce((before, [exclusive = "", bound = ""]) => {
    if (typeof before[exclusive] !== "boolean") return before;
    if (before[exclusive] === false || before[bound] === undefined) return without(before, exclusive);
    return { ...without(before, bound), [exclusive]: before[bound] };
  }, schema);
}

function nullable(schema: Keywords): Keywords {
  if (typeof schema["nullable"] !== "boolean") return schema;
  const { nullable: isNullable, ...rest } = schema;
  if (!isNullable) return rest;
  const { type } = rest;
  const typed =
    type === undefined ? rest : { ...rest, type: [...new Set([...(Array.isArray(type) ? type : [type]), "null"])] };
  const combined = Object.entries(typed).filter(([keyword]) => COMBINED.includes(keyword));
  if (combined.length === 0) return typed;
  return { ...without(typed, ...COMBINED), anyOf: [Object.fromEntries(combined), { type: "null" }] };
}

/** Names that are required twice are required. */
function distinct(schema: Keywords): Keywords {
  const { required } = schema;
  return Array.isArray(required) ? { ...schema, required: [...new Set(required)] } : schema;
}

/** The parts of a reference into a schema, with `$defs` where it leads through `definitions`. */
export function partsInDraft2020(parts: readonly string[]): string[] {
  const read = [...parts];
  for (let at = 0; at < read.length; at += isSingle(read[at]) ? 1 : 2) {
    if (read[at] === "definitions") read[at] = "$defs";
  }
  return read;
}

const isSingle = (keyword: string | undefined): boolean => APPLICATORS.get(keyword ?? "") === "schema";
