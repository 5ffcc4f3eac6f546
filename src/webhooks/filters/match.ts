/** Evaluating a filter over an event. */
import { isExactNumber } from "../../base/exact-json";
import { KnownValues } from "../work/known-values";
import { FILTER_STEPS, Meter, OutOfSteps, PRICES } from "../work/meter";
import { fits } from "./compare";
import type { Condition, Filter, FilterOperator, Negation, Subject } from "./filter";
import { MAX_FILTER_DEPTH } from "./parse";
import { pathOf } from "./path";

const MAX_REASONS = 20;
const INDEX = /^\d+$/;

/** A condition that does not hold. */
interface Reason {
  path: string;
  operator: FilterOperator | "$not";
  /** The operand of the condition. */
  expected: unknown;
  found: Found;
}

/** The JSON type of the first value at a path. */
type Found = "missing" | "null" | "boolean" | "number" | "string" | "array" | "object";

/** A run of a filter on an event. */
interface Run {
  subject: Subject;
  known: KnownValues;
  meter: Meter;
}

/** Whether the filter lets the event through. One that runs out of steps does. */
export function matches(filter: Filter, subject: Subject, request?: Meter, known = new KnownValues()): boolean {
  const run = { subject, known, meter: new Meter(FILTER_STEPS, request) };
  return unlessOutOfSteps(() => holds(filter, run), true);
}

/**
 * Says which conditions do not hold, at most 20; none if the filter lets the event through, or if `request` has nothing
 * left. In a large event it may not find all of them, but finds one.
 */
export function reasons(filter: Filter, subject: Subject, request?: Meter, known = new KnownValues()): Reason[] {
  if (matches(filter, subject, request, known)) return [];
  // To find a condition, what is around it is evaluated again at each level.
  const meter = new Meter(FILTER_STEPS * (MAX_FILTER_DEPTH + 2), request);
  const found: Reason[] = [];
  unlessOutOfSteps(() => collect(filter, { subject, known, meter }, found), undefined);
  return found;
}

function unlessOutOfSteps<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfSteps) return otherwise;
    throw error;
  }
}

/** `ifUnknown`: the answer if nobody can say, because a number has more digits than a double can hold. */
function holds(filter: Filter, run: Run, ifUnknown = true): boolean {
  switch (filter.kind) {
    case "all":
      return filter.filters.every((one) => holds(one, run, ifUnknown));
    case "any":
      return filter.filters.some((one) => holds(one, run, ifUnknown));
    case "not":
      return !holds(filter.filter, run, !ifUnknown);
    case "condition":
      return conditionHolds(filter, valuesAt(run, filter.names), run, ifUnknown);
  }
}

/** Adds the conditions that do not hold in a filter that does not. */
function collect(filter: Filter, run: Run, found: Reason[]): void {
  if (found.length >= MAX_REASONS) return;
  if (filter.kind === "all" || filter.kind === "any") {
    for (const one of filter.filters) if (!holds(one, run)) collect(one, run, found);
    return;
  }
  found.push(reasonOf(filter, valuesAt(run, filter.names)));
}

const reasonOf = (filter: Condition | Negation, values: readonly unknown[]): Reason => ({
  path: pathOf(filter.names),
  operator: filter.kind === "not" ? "$not" : filter.operator,
  expected: filter.kind === "not" ? filter.source : filter.operand,
  found: typeOf(values),
});

function typeOf([first, ...others]: readonly unknown[]): Found {
  if (first === undefined && others.length === 0) return "missing";
  if (first === null) return "null";
  if (isExactNumber(first)) return "number";
  return Array.isArray(first) ? "array" : (typeof first as Found);
}

function conditionHolds(
  { operator, operand }: Condition,
  values: readonly unknown[],
  { meter, known }: Run,
  ifUnknown: boolean,
): boolean {
  if (operator === "$exists") return values.length > 0 === operand;
  const isNegative = operator === "$ne" || operator === "$nin";
  const comparing = { meter, known, fitsExact: ifUnknown !== isNegative };
  const isOne = (value: unknown): boolean => fits(operator, value, operand, comparing);
  const hasOne = values.some((value) => isOne(value) || (Array.isArray(value) && value.some(isOne)));
  return hasOne !== isNegative;
}

/** The values to which a path leads. It enters each element of a list, unless it names one by its index. */
function valuesAt({ subject, meter }: Run, names: readonly string[]): unknown[] {
  let values: unknown[] = [subject];
  for (const name of names) values = values.flatMap((value) => below(value, name, meter));
  return values;
}

function below(value: unknown, name: string, meter: Meter): unknown[] {
  meter.pay(PRICES.value);
  if (Array.isArray(value) && !INDEX.test(name)) return value.flatMap((element) => below(element, name, meter));
  const isParent = typeof value === "object" && value !== null && !isExactNumber(value) && Object.hasOwn(value, name);
  return isParent ? [(value as Record<string, unknown>)[name]] : [];
}
