/** Comparing a value of a payload with what a condition asks for. */
import { isExactNumber } from "../../base/exact-json";
import type { KnownValues } from "../work/known-values";
import { type Meter, PRICES } from "../work/meter";
import type { FilterOperator } from "./filter";

/** What comparisons need besides what they compare. */
export interface Comparing {
  meter: Meter;
  known: KnownValues;
  /** Whether a number that a double cannot hold fits what a number is asked for: nobody can say. */
  fitsExact: boolean;
}

/** Whether two JSON values are equal, apart from the order of members. */
function equals(a: unknown, b: unknown, comparing: Comparing): boolean {
  const { meter, known } = comparing;
  meter.pay(PRICES.comparison);
  if (isExactNumber(a)) return typeof b === "number" && comparing.fitsExact;
  if (typeof a === "string" && typeof b === "string") meter.pay(shorter(a, b) * PRICES.comparedCharacter);
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((one, at) => equals(one, b[at], comparing));
  }
  const names = known.namesOf(a, meter);
  if (names.length !== known.namesOf(b, meter).length) return false;
  const [ofA, ofB] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(ofB, name) && equals(ofA[name], ofB[name], comparing));
}

const shorter = (a: string, b: string): number => Math.min(a.length, b.length);

/** Whether one value fits the operand. `$ne`, `$nin` and `$exists` are decided by all values together. */
export function fits(operator: FilterOperator, value: unknown, operand: unknown, comparing: Comparing): boolean {
  comparing.meter.pay(PRICES.value);
  switch (operator) {
    case "$eq":
    case "$ne":
      return equals(value, operand, comparing);
    case "$in":
    case "$nin":
      return (operand as unknown[]).some((listed) => equals(value, listed, comparing));
    case "$exists":
      return true;
    default:
      if (isExactNumber(value)) return typeof operand === "number" && comparing.fitsExact;
      if (typeof value === "string" && typeof operand === "string") {
        return fitsText(operator, value, operand, comparing.meter);
      }
      return (
        typeof value === "number" &&
        typeof operand === "number" &&
        isInOrder(operator, value < operand ? -1 : Number(value > operand))
      );
  }
}

function fitsText(operator: FilterOperator, text: string, operand: string, meter: Meter): boolean {
  if (operator === "$contains") return contains(text, operand, meter);
  meter.pay(shorter(text, operand) * PRICES.character);
  if (operator === "$startsWith") return text.startsWith(operand);
  return operator === "$endsWith" ? text.endsWith(operand) : isInOrder(operator, inCodePoints(text, operand));
}

/** `order`: negative, 0 or positive, if the value is less than, equal to or greater than the operand. */
function isInOrder(operator: FilterOperator, order: number): boolean {
  if (operator === "$gt") return order > 0;
  if (operator === "$gte") return order >= 0;
  if (operator === "$lt") return order < 0;
  return operator === "$lte" && order <= 0;
}

/** Compares by code points. JavaScript compares by UTF-16 units, in which U+10000 comes before U+E000. */
function inCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Puts surrogates, which stand for the code points from U+10000 on, after all other units. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/**
 * Whether the text has the part, in time linear in the text (Knuth, Morris and Pratt). `String.includes` takes a second
 * for a long part of which a long text has all but the first character over and over.
 */
function contains(text: string, part: string, meter: Meter): boolean {
  // Not only quicker: a list can have thousands of short texts.
  if (part.length > text.length) return false;
  meter.pay((text.length + part.length) * PRICES.character);
  const fallbacks = [0];
  const next = (matched: number, unit: number): number => {
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
    return part.charCodeAt(matched) === unit ? matched + 1 : 0;
  };
  for (let at = 1; at < part.length; at += 1) fallbacks.push(next(fallbacks[at - 1] ?? 0, part.charCodeAt(at)));
  let matched = 0;
  for (let at = 0; matched < part.length && at < text.length; at += 1) matched = next(matched, text.charCodeAt(at));
  return matched === part.length;
}
