/**
 * Validates values by a schema of draft 2020-12, in bounded time: it pays for what it does, and a value that costs more
 * than VALIDATION_STEPS is invalid.
 */
import { KnownValues } from "../../work/known-values";
import { Meter, OutOfSteps, PRICES, VALIDATION_STEPS } from "../../work/meter";
import { assertionsOn } from "./assertions";
import { isObject } from "./canonical";
import type { CompiledSchema, Schema } from "./check";
import { type Finding, type Place, Report } from "./report";

/** The finding about a value whose validation would cost too much. */
export const tooCostly = (path: string): Finding => ({ path, message: "schema: too costly to check" });

/**
 * Returns what is wrong with a value, at most 10 findings below `root`; nothing if it is valid. Never throws. `request`
 * pays for the other work of the same request.
 */
export function validate(
  compiled: CompiledSchema,
  value: unknown,
  root: string,
  request?: Meter,
  known = new KnownValues(),
): Finding[] {
  const report = new Report(root);
  try {
    new Validation(compiled, new Meter(VALIDATION_STEPS, request), known).check(compiled.schema, value, null, report);
    return report.findings;
  } catch (error) {
    // A value that is nested too deeply for the stack is too costly as well.
    if (error instanceof OutOfSteps || error instanceof RangeError) return [tooCostly(root)];
    throw error;
  }
}

/** What the subschemas of a value have looked at, for unevaluatedProperties and unevaluatedItems. */
interface Seen {
  names: Set<string>;
  items: Set<number>;
}

type Rules = Readonly<Record<string, unknown>>;

/** The keywords that look at each member of an object. */
const MEMBER_KEYWORDS = [
  ...["properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties"],
];

class Validation {
  constructor(
    readonly compiled: CompiledSchema,
    readonly meter: Meter,
    readonly known: KnownValues,
  ) {}

  /** Whether the value is valid. Adds findings to the report, and what was evaluated to `seen`. Throws OutOfSteps. */
  check(schema: Schema, value: unknown, place: Place, report: Report | null, seen: Seen | null = null): boolean {
    this.meter.pay(PRICES.subschema);
    if (typeof schema === "boolean") {
      if (!schema) report?.add(place, "false: nothing is allowed here");
      return schema;
    }
    const own: Seen | null = this.compiled.hasUnevaluated ? { names: new Set(), items: new Set() } : null;
    let isValid = assertionsOn(schema, value, place, report, this);
    isValid = this.#onSameValue(schema, value, place, report, own) && isValid;
    if (Array.isArray(value)) isValid = this.#items(schema, value, place, report, own) && isValid;
    else if (isObject(value) && MEMBER_KEYWORDS.some((keyword) => keyword in schema))
      isValid = this.#members(schema, value, place, report, own) && isValid;
    if (isValid && own && seen) this.#merge(seen, own);
    return isValid;
  }

  #merge(seen: Seen, own: Seen): void {
    this.meter.pay((own.names.size + own.items.size) * PRICES.keptItem);
    for (const name of own.names) seen.names.add(name);
    for (const item of own.items) seen.items.add(item);
  }

  #onSameValue(schema: Rules, value: unknown, place: Place, report: Report | null, seen: Seen | null): boolean {
    const holds = (subschema: unknown, to: Report | null = null) =>
      this.check(subschema as Schema, value, place, to, seen);
    let isValid = true;
    if (typeof schema["$ref"] === "string") {
      isValid = holds(this.compiled.targets.get(schema["$ref"]) ?? false, report);
    }
    for (const subschema of listOf(schema["allOf"])) isValid = holds(subschema, report) && isValid;
    isValid = this.#alternatives(schema, place, report, holds) && isValid;
    if (schema["not"] !== undefined && this.check(schema["not"] as Schema, value, place, null)) {
      report?.add(place, "not: must not match the schema");
      isValid = false;
    }
    if (schema["if"] !== undefined) {
      const next = schema[holds(schema["if"]) ? "then" : "else"];
      if (next !== undefined) isValid = holds(next, report) && isValid;
    }
    if (!isObject(value)) return isValid;
    const dependent = isObject(schema["dependentSchemas"]) ? schema["dependentSchemas"] : null;
    for (const name of dependent ? this.known.namesOf(value, this.meter) : []) {
      this.meter.pay(PRICES.comparison);
      if (dependent && Object.hasOwn(dependent, name)) isValid = holds(dependent[name], report) && isValid;
    }
    return isValid;
  }

  #alternatives(schema: Rules, place: Place, report: Report | null, holds: (subschema: unknown) => boolean): boolean {
    let isValid = true;
    const any = listOf(schema["anyOf"]);
    // Without a stop at the first match: each can evaluate other members.
    if (any.length > 0 && any.filter((subschema) => holds(subschema)).length === 0) {
      report?.add(place, `anyOf: one of ${any.length} schemas must match`);
      isValid = false;
    }
    const exactlyOne = listOf(schema["oneOf"]);
    const matching = exactlyOne.filter((subschema) => holds(subschema)).length;
    if (exactlyOne.length > 0 && matching !== 1) {
      report?.add(place, `oneOf: exactly one of ${exactlyOne.length} schemas must match, ${matching} do`);
      isValid = false;
    }
    return isValid;
  }

  #items(schema: Rules, value: readonly unknown[], place: Place, report: Report | null, seen: Seen | null): boolean {
    let isValid = true;
    const prefix = listOf(schema["prefixItems"]);
    const item = (index: number, subschema: unknown) => {
      isValid = this.check(subschema as Schema, value[index], { in: place, key: index }, report) && isValid;
      seen?.items.add(index);
    };
    for (const [index, subschema] of prefix.slice(0, value.length).entries()) item(index, subschema);
    if (schema["items"] !== undefined) {
      for (let index = prefix.length; index < value.length; index += 1) item(index, schema["items"]);
    }
    isValid = this.#contains(schema, value, place, report, seen) && isValid;
    if (schema["unevaluatedItems"] !== undefined) {
      for (const index of value.keys()) if (!seen?.items.has(index)) item(index, schema["unevaluatedItems"]);
    }
    return isValid;
  }

  #contains(schema: Rules, value: readonly unknown[], place: Place, report: Report | null, seen: Seen | null): boolean {
    const contained = schema["contains"];
    if (contained === undefined) return true;
    const least = typeof schema["minContains"] === "number" ? schema["minContains"] : 1;
    const most = typeof schema["maxContains"] === "number" ? schema["maxContains"] : Infinity;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!this.check(contained as Schema, item, { in: place, key: index }, null)) continue;
      found += 1;
      seen?.items.add(index);
    }
    if (found >= least && found <= most) return true;
    const atMost = most === Infinity ? "" : ` and at most ${most}`;
    report?.add(place, `contains: at least ${least}${atMost} matching items`);
    return false;
  }

  #members(schema: Rules, value: Rules, place: Place, report: Report | null, seen: Seen | null): boolean {
    let isValid = true;
    const member = (name: string, subschema: unknown, keyword: string) => {
      seen?.names.add(name);
      if (subschema === false) report?.add(place, `${keyword}: ${JSON.stringify(name).slice(0, 100)} is not allowed`);
      const at = { in: place, key: name };
      isValid = subschema !== false && this.check(subschema as Schema, value[name], at, report) && isValid;
    };
    const names = this.known.namesOf(value, this.meter);
    const prefixes = entriesOf(names.length === 0 ? null : schema["patternProperties"]).map(
      ([prefix, subschema]) => [prefix.slice(1), subschema] as const,
    );
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    for (const name of names) {
      this.meter.pay((1 + prefixes.length) * PRICES.comparison);
      const matching = prefixes.filter(([prefix]) => name.startsWith(prefix));
      const isListed = Object.hasOwn(properties, name);
      if (isListed) member(name, properties[name], "properties");
      for (const [, subschema] of matching) member(name, subschema, "patternProperties");
      const isOther = !isListed && matching.length === 0;
      if (isOther && schema["additionalProperties"] !== undefined) {
        member(name, schema["additionalProperties"], "additionalProperties");
      }
      if (schema["propertyNames"] !== undefined && !this.check(schema["propertyNames"] as Schema, name, place, null)) {
        report?.add(place, "propertyNames: a name does not match");
        isValid = false;
      }
    }
    if (schema["unevaluatedProperties"] !== undefined) {
      const others = names.filter((name) => !seen?.names.has(name));
      for (const name of others) member(name, schema["unevaluatedProperties"], "unevaluatedProperties");
    }
    return isValid;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
