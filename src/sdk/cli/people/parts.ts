/** People in parts that the service takes. */
import type { ImportedPerson } from "./converter";

const MAX_LINES = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** NDJSON of up to 4 MiB and 20,000 lines each, in the order of the people, who can be lines already. */
export function* partsOf(people: Iterable<ImportedPerson | string>): Generator<string> {
  let lines: string[] = [];
  let size = 0;
  for (const person of people) {
    const line = `${typeof person === "string" ? person : JSON.stringify(person)}\n`;
    const bytes = Buffer.byteLength(line);
    if (lines.length === MAX_LINES || size + bytes > MAX_BYTES) {
      yield lines.join("");
      [lines, size] = [[], 0];
    }
    lines.push(line);
    size += bytes;
  }
  if (lines.length > 0) yield lines.join("");
}
