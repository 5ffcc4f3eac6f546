/** JSON values by their text, with the members of objects in the order of their names. */
import { isExactNumber } from "../../../base/exact-json";

type Json = unknown;

/** The text of a value. Two values are equal, key order apart, if they have the same text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Whether a value is an object and no list. */
export const isObject = (value: Json): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
