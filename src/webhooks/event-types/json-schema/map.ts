/** Rewrites a schema keyword by keyword, through all of its subschemas. */
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "./canonical";
import { APPLICATORS } from "./keywords";

/** What becomes of a keyword without subschemas; undefined leaves it out. */
type Rewrite = (keyword: string, value: unknown) => unknown;

/** Returns the schema with other keywords. What is no schema stays as it is. Throws OutOfSteps. */
export function mapSchema(schema: unknown, rewrite: Rewrite, meter: Meter): unknown {
  meter.pay(PRICES.subschema);
  if (!isObject(schema)) return schema;
  const of = (subschema: unknown) => mapSchema(subschema, rewrite, meter);
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    const holds = APPLICATORS.get(keyword);
    if (holds === "schema") return [[keyword, of(value)]];
    if (holds === "schemas") return [[keyword, Array.isArray(value) ? value.map(of) : value]];
    if (holds === "named schemas" && isObject(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, subschema]) => [name, of(subschema)]))]];
    }
    const rewritten = rewrite(keyword, value);
    return rewritten === undefined ? [] : [[keyword, rewritten]];
  });
  return Object.fromEntries(entries);
}
