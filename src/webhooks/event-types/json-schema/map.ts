/** Rewrites a schema keyword by keyword, through all of its subschemas. */
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "./canonical";
import { APPLICATORS } from "./keywords";
import type { Place } from "./report";

interface Rewriting {
  /** What becomes of a keyword without subschemas, in the schema at `place`; undefined leaves it out. */
  keyword: (keyword: string, value: unknown, place: Place) => unknown;
  /** What becomes of a subschema before its keywords are rewritten. */
  schema?: (schema: Record<string, unknown>, place: Place) => Record<string, unknown>;
}

/** Returns the schema with other keywords. What is no schema stays as it is. Throws OutOfSteps. */
export function mapSchema(schema: unknown, rewriting: Rewriting, meter: Meter, place: Place = null): unknown {
  meter.pay(PRICES.subschema);
  if (!isObject(schema)) return schema;
  const of = (subschema: unknown, at: Place) => mapSchema(subschema, rewriting, meter, at);
  const before = rewriting.schema?.(schema, place) ?? schema;
  const entries = Object.entries(before).flatMap(([keyword, value]): [string, unknown][] => {
    const holds = APPLICATORS.get(keyword);
    const here = { in: place, key: keyword };
    if (holds === "schema") return [[keyword, of(value, here)]];
    if (holds === "schemas") {
      return [[keyword, Array.isArray(value) ? value.map((one, key) => of(one, { in: here, key })) : value]];
    }
    if (holds === "named schemas" && isObject(value)) {
      const named = Object.entries(value).map(([key, subschema]) => [key, of(subschema, { in: here, key })]);
      return [[keyword, Object.fromEntries(named)]];
    }
    const rewritten = rewriting.keyword(keyword, value, place);
    return rewritten === undefined ? [] : [[keyword, rewritten]];
  });
  return Object.fromEntries(entries);
}
