/** The keywords of a schema that look at one value only, by its type. */
import { compareExact, type ExactNumber, isExactNumber, isWhole } from "../../../base/exact-json";
import { KnownValues } from "../../work/known-values";
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "./canonical";
import type { CompiledSchema, Schema } from "./check";
import { FORMATS } from "./formats";
import { matches } from "./match";
import type { Place, Report } from "./report";

interface Context {
  compiled: CompiledSchema;
  meter: Meter;
  known: KnownValues;
}

type Rules = Exclude<Schema, boolean>;

const MAX_SHOWN_CHARACTERS = 200;

type AnyNumber = number | ExactNumber;

/** A text that is made only if it is shown. */
type Expected = string | (() => string);

/** What a keyword expects if the value breaks it, or null. It counts what it reads of the keyword. */
type Assertion = (given: never, value: never, context: Context) => Expected | null;

/** Keywords for values of one type, and of any type. */
const ASSERTIONS: Readonly<Record<"any" | "string" | "number" | "array" | "object", Record<string, Assertion>>> = {
  any: {
    type: (given: string | string[], value: unknown, { meter }: Context) => {
      const types = [given].flat();
      meter.pay(types.length * PRICES.comparison);
      return types.some((type) => isOfType(type, value, meter)) ? null : () => types.join(" or ");
    },
    enum: (given: unknown[], value: unknown, context: Context) => {
      context.meter.pay(given.length * PRICES.comparison);
      return isIn(given, value, context) ? null : () => given.map((one) => JSON.stringify(one)).join(", ");
    },
    const: (given: unknown, value: unknown, context: Context) =>
      isIn([given], value, context) ? null : () => JSON.stringify(given),
  },
  string: {
    minLength: (least: number, value: string, { meter }: Context) =>
      lengthOf(value, meter) >= least ? null : `${least} or more characters`,
    maxLength: (most: number, value: string, { meter }: Context) =>
      lengthOf(value, meter) <= most ? null : `${most} or fewer characters`,
    pattern: (pattern: string, value: string, { compiled, meter }: Context) => {
      const program = compiled.patterns.get(pattern);
      return program && matches(program, value, meter) ? null : pattern;
    },
    format: (format: string, value: string, { meter }: Context) => {
      meter.pay(value.length * PRICES.character);
      return FORMATS[format]?.(value) ? null : format;
    },
  },
  number: {
    minimum: (least: number, value: AnyNumber, { meter }: Context) =>
      order(value, least, meter) >= 0 ? null : `${least} or more`,
    maximum: (most: number, value: AnyNumber, { meter }: Context) =>
      order(value, most, meter) <= 0 ? null : `${most} or less`,
    exclusiveMinimum: (bound: number, value: AnyNumber, { meter }: Context) =>
      order(value, bound, meter) > 0 ? null : `more than ${bound}`,
    exclusiveMaximum: (bound: number, value: AnyNumber, { meter }: Context) =>
      order(value, bound, meter) < 0 ? null : `less than ${bound}`,
    multipleOf: (divisor: number, value: AnyNumber, { meter }: Context) =>
      isMultiple(value, divisor, meter) ? null : `a multiple of ${divisor}`,
  },
  array: {
    minItems: (least: number, value: unknown[]) => (value.length >= least ? null : `${least} or more items`),
    maxItems: (most: number, value: unknown[]) => (value.length <= most ? null : `${most} or fewer items`),
    uniqueItems: (isAsked: boolean, value: unknown[], context: Context) =>
      !isAsked || areUnique(value, context) ? null : "different items",
  },
  object: {
    minProperties: (least: number, value: object, { known, meter }: Context) =>
      known.namesOf(value, meter).length >= least ? null : `${least} or more properties`,
    maxProperties: (most: number, value: object, { known, meter }: Context) =>
      known.namesOf(value, meter).length <= most ? null : `${most} or fewer properties`,
    required: (names: string[], value: object, { meter }: Context) => missing(names, value, meter),
    dependentRequired: (given: Record<string, string[]>, value: object, { known, meter }: Context) => {
      const names = known.namesOf(value, meter);
      meter.pay(names.length * PRICES.comparison);
      const wanted = names.flatMap((name) => (Object.hasOwn(given, name) ? (given[name] ?? []) : []));
      return missing(wanted, value, meter);
    },
  },
};

/** Checks these keywords. Adds findings to the report. Throws OutOfSteps. */
export function assertionsOn(
  schema: Rules,
  value: unknown,
  place: Place,
  report: Report | null,
  context: Context,
): boolean {
  let isValid = true;
  for (const table of new Set([ASSERTIONS.any, ASSERTIONS[tableOf(value)]])) {
    for (const keyword of Object.keys(table)) {
      const given = schema[keyword];
      if (given === undefined) continue;
      context.meter.pay(PRICES.comparison);
      const expected = table[keyword]?.(given as never, value as never, context) ?? null;
      if (expected === null) continue;
      const text = () => (typeof expected === "string" ? expected : expected()).slice(0, MAX_SHOWN_CHARACTERS);
      report?.add(place, () => `${keyword}: ${text()}`);
      isValid = false;
    }
  }
  return isValid;
}

function tableOf(value: unknown): keyof typeof ASSERTIONS {
  if (isExactNumber(value)) return "number";
  if (typeof value === "string" || typeof value === "number") return typeof value as "string" | "number";
  if (Array.isArray(value)) return "array";
  return isObject(value) ? "object" : "any";
}

function isOfType(type: string, value: unknown, meter: Meter): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (isExactNumber(value)) return type === "number" || (type === "integer" && isWhole(paid(value, meter)));
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** In code points. */
function lengthOf(text: string, meter: Meter): number {
  meter.pay(text.length * PRICES.character);
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) pairs += 1;
  }
  return text.length - pairs;
}

function isIn(values: readonly unknown[], value: unknown, { known, meter }: Context): boolean {
  // A listed number was written with fewer digits, and equals it at most as a double. Nothing is refused for that.
  if (isExactNumber(value)) return values.some((one) => typeof one === "number");
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") meter.pay(value.length * PRICES.comparedCharacter);
    return values.includes(value);
  }
  const objects = values.filter((one) => typeof one === "object" && one !== null);
  if (objects.length === 0) return false;
  const text = known.textOf(value, meter);
  return objects.some((one) => {
    const other = listed.textOf(one, meter);
    meter.pay(PRICES.comparison + Math.min(text.length, other.length) * PRICES.comparedCharacter);
    return other === text;
  });
}

/** What schemas have listed. Many values are compared with each. */
const listed = new KnownValues();

/** Compares by canonical text, so that the time grows with the size of the list and not with its square. */
function areUnique(items: readonly unknown[], { known, meter }: Context): boolean {
  meter.pay(items.length * PRICES.keptItem);
  return new Set(items.map((item) => known.textOf(item, meter))).size === items.length;
}

/** Negative, 0 or positive if the value is less than, equal to or greater than the bound. */
const order = (value: AnyNumber, bound: number, meter: Meter): number =>
  isExactNumber(value) ? compareExact(paid(value, meter), bound) : value < bound ? -1 : Number(value > bound);

/** The number, all of whose digits are read next: it can have 250,000. */
function paid(number: ExactNumber, meter: Meter): ExactNumber {
  meter.pay(number.rawJSON.length * PRICES.character);
  return number;
}

/**
 * 0.3 is a multiple of 0.1, although a division of binary numbers has a remainder. A number that a double cannot hold
 * is only looked at for a fraction.
 */
function isMultiple(value: AnyNumber, divisor: number, meter: Meter): boolean {
  if (isExactNumber(value)) return divisor !== 1 || isWhole(paid(value, meter));
  const quotient = value / divisor;
  if (Number.isInteger(divisor) || !Number.isFinite(quotient)) return value % divisor === 0;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}

function missing(names: readonly string[], value: object, meter: Meter): Expected | null {
  meter.pay(names.length * PRICES.comparison);
  const absent = names.filter((name) => !Object.hasOwn(value, name));
  return absent.length === 0 ? null : () => absent.join(", ");
}
