/** The export as TypeScript: an interface with the payload of each type. */

import type { Meter } from "../../work/meter";
import type { Declared } from "../declaration";
import { isObject } from "../json-schema/canonical";
import type { Writer } from "./format";
import { Definitions, typeText } from "./type-text";

const HEAD = "export interface PosternEvents {\n";
const MAX_KEPT_CHARACTERS = 100_000;

export function typescriptWriter(meter: Meter): Writer {
  const definitions = new Definitions(meter);
  return {
    head: `/** The payloads of events, by type. */\n${HEAD}`,
    between: "",
    entry: ({ type, newest }) => {
      const { schema } = newest;
      const text = schema === undefined ? "unknown" : typeText(schema, definitions.of(schema), 1, meter);
      const member = `${commentOf(type, schema)}  ${JSON.stringify(type.name)}: ${text};\n`;
      // Definitions are not kept until the end: those of all types may be large. Parts of an interface are one.
      return definitions.length < MAX_KEPT_CHARACTERS ? member : `${member}}\n${definitions.take()}\n${HEAD}`;
    },
    tail: () => `}\n${definitions.take()}`,
  };
}

function commentOf({ description, deprecated }: Declared["type"], schema: unknown): string {
  const own = isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : null;
  const instead = deprecated?.replacedBy === undefined ? "" : ` Use ${deprecated.replacedBy}.`;
  const lines = [description ?? own, deprecated === null ? null : `@deprecated${instead} ${deprecated.note ?? ""}`]
    .filter((line) => line !== null)
    .map((line) => line.replaceAll("*/", "* /").replace(/\s+/g, " ").trim());
  return lines.length === 0 ? "" : `  /** ${lines.join(" ")} */\n`;
}
