/** JSON values by their text, with the members of objects in the order of their names. */
import { isExactNumber } from "../../../base/exact-json";
import { type Meter, PRICES } from "../../work/meter";

type Json = unknown;

/** The text of a value. Two values are equal, key order apart, if they have the same text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Whether two values are equal, key order apart. `meter` pays. Throws OutOfSteps. */
export function areEqual(a: Json, b: Json, meter?: Meter): boolean {
  const [textOfA, textOfB] = [JSON.stringify(a), JSON.stringify(b)];
  if (textOfA === textOfB) return true;
  // The order of keys does not change the length.
  if (textOfA?.length !== textOfB?.length) return false;
  meter?.pay((textOfA?.length ?? 0) * 2 * PRICES.canonicalCharacter);
  return canonical(a) === canonical(b);
}

/** Whether a value is an object and no list. */
export const isObject = (value: Json): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
