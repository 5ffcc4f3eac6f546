/** Exports that are one JSON value. */
import { usage } from "../failure";

/** Parses the text. Throws Failure for what is no JSON. */
export function wholeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage("The file is not JSON.");
  }
}
