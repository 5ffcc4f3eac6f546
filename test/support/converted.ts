/** What a converter of the command line makes of an export. */
import type { Converter } from "../../src/sdk/cli/people/converter.ts";

type Person = Record<string, unknown> & { email: string };

/** The people, without members that are undefined, and what was left out. */
export function converted(converter: Converter, text: string | object) {
  const left: string[] = [];
  const people = [...converter(typeof text === "string" ? text : JSON.stringify(text), (what) => left.push(what))];
  return { people: JSON.parse(JSON.stringify(people)) as Person[], left };
}
