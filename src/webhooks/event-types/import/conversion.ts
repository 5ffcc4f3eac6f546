/** Schemas of others in the keywords that a schema can have here. What is left out is told. */
import { placeOfExact } from "../../../base/exact-json";
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { FORMATS } from "../json-schema/formats";
import { ANNOTATIONS } from "../json-schema/keywords";
import { mapSchema } from "../json-schema/map";
import { keysOf, type Place } from "../json-schema/report";
import { partsOf } from "../pointer";
import { inDraft2020, isOldDraft, isReadDialect, partsInDraft2020, strictlyInDraft2020 } from "./drafts";

/** Keywords of OpenAPI that say nothing about which values are valid. */
const OPENAPI_ANNOTATIONS = ["discriminator", "xml", "externalDocs", "example"];
/** What old drafts read beside a `$ref`. */
const BESIDE_REFERENCE = ["$ref", "$defs", "definitions", "$schema", "$id", "id"];

/** Keywords whose value may be null. */
const NULLABLE = ["const", "default"];

/** How a schema is converted. */
export interface Conversion {
  meter: Meter;
  /** The dialect of a schema that names none. */
  dialect?: unknown;
  /** Leaves out nothing but what says how a schema is read: the rest is refused where it is registered. */
  isStrict?: boolean;
  /** What becomes of a reference. */
  reference: (reference: unknown) => unknown;
  /** Called with the path to what is left out, and its keyword. */
  ignore: (path: string, keyword: string) => void;
}

/** Converts a schema. `place` is where it comes to be. Throws OutOfSteps, and what `reference` does. */
export function converted(schema: unknown, conversion: Conversion, place: Place = null): unknown {
  const { meter, reference, ignore, isStrict = false } = conversion;
  const own = isObject(schema) ? schema["$schema"] : undefined;
  const isOld = isOldDraft(own ?? conversion.dialect);
  const ignoreAt = (at: Place, keyword: string) => ignore([...keysOf(at), keyword].join("."), keyword);
  return mapSchema(
    schema,
    {
      schema: (given, at) => {
        meter.pay(Object.keys(given).length * PRICES.member);
        const counting = isOld && given["$ref"] !== undefined ? besideReference(given, at, ignoreAt) : given;
        return isStrict ? strictlyInDraft2020(counting, isOld) : inDraft2020(counting);
      },
      keyword: (keyword, value, at) => {
        if (keyword === "$ref") return reference(value);
        if (keyword === "$schema" && isReadDialect(value)) return undefined;
        const isName = at === place && (keyword === "$id" || keyword === "id") && typeof value === "string";
        if (!isName && (isStrict || !isLeftOut(keyword, value, meter))) return value;
        ignoreAt(at, keyword);
        return undefined;
      },
    },
    meter,
    place,
  );
}

function besideReference(
  schema: Record<string, unknown>,
  place: Place,
  ignoreAt: (place: Place, keyword: string) => void,
): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([keyword]) => {
    const isKept = BESIDE_REFERENCE.includes(keyword) || Object.hasOwn(ANNOTATIONS, keyword);
    if (!isKept) ignoreAt(place, keyword);
    return isKept;
  });
  return Object.fromEntries(kept);
}

function isLeftOut(keyword: string, value: unknown, meter: Meter): boolean {
  if (OPENAPI_ANNOTATIONS.includes(keyword) || keyword === "$anchor") return true;
  // Some writers of documents print what is absent.
  if (value === null && !NULLABLE.includes(keyword) && !keyword.startsWith("x-")) return true;
  // In drafts before 4, and in many documents still, a member says of itself that it is required.
  if (keyword === "required") return typeof value === "boolean";
  if (keyword === "format") return typeof value === "string" && !Object.hasOwn(FORMATS, value);
  if (Object.hasOwn(ANNOTATIONS, keyword) && ANNOTATIONS[keyword]?.(value) !== null) return true;
  return !keyword.startsWith("x-") && hasOtherNumbers(value, meter);
}

/** Whether it has a number that a double cannot hold. */
function hasOtherNumbers(value: unknown, meter: Meter): boolean {
  if (isObject(value) || Array.isArray(value)) meter.pay(JSON.stringify(value).length * PRICES.copiedCharacter);
  return placeOfExact(value) !== null;
}

/** Converts a schema that stands by itself. Throws OutOfSteps. */
export function convertedAlone(schema: unknown, conversion: Omit<Conversion, "reference">): unknown {
  const id = isObject(schema) ? (schema["$id"] ?? schema["id"]) : undefined;
  const own = typeof id === "string" ? id.replace(/#$/, "") : undefined;
  return converted(schema, {
    ...conversion,
    reference: (given) => {
      const isOwn = own !== undefined && typeof given === "string" && given.startsWith(`${own}#`);
      const local = isOwn ? given.slice(own.length) : given;
      const parts = partsOf(local);
      return parts ? ["#", ...partsInDraft2020(parts)].join("/") : given;
    },
  });
}
