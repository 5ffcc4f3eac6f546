/** A JSON value a line. */
import { usage } from "../failure";
import { type Exported, isRecord } from "./converter";

/** The objects of an NDJSON text. Throws Failure for a line that is none. */
export function* readNdjson(text: string): Generator<Exported> {
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const value = parsed(line);
    if (!isRecord(value)) throw usage(`Line ${index + 1} is not a JSON object.`);
    yield value;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
