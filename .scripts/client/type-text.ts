/** TypeScript for schemas, documented by their descriptions. */
import { idOf, type Schema } from "./openapi.ts";

const MAX_COLUMNS = 120;

/** The type of a value. In requests a time is a plain string, because any offset will do. */
export function typeOf(schema: Schema, isSent: boolean, indent = ""): string {
  if (schema.$ref) return idOf(schema);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((one) => typeOf(one, isSent, indent)));
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, isSent, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" && !isSent ? "Timestamp" : "string";
    case "integer":
      return "number";
    case "array":
      return `(${typeOf(schema.items ?? {}, isSent, indent)})[]`;
    case "object":
      return objectType(schema, isSent, indent);
    default:
      return schema.type ?? "unknown";
  }
}

/** Values that a string can have are left out beside `string`. */
function union(types: string[]): string {
  const distinct = [...new Set(types)];
  return distinct.filter((type) => !type.startsWith('"') || !distinct.includes("string")).join(" | ");
}

function objectType(schema: Schema, isSent: boolean, indent: string): string {
  const { properties, additionalProperties: others } = schema;
  if (!properties) return `Record<string, ${typeof others === "object" ? typeOf(others, isSent, indent) : "unknown"}>`;
  return `{\n${fieldsOf(schema, isSent, `${indent}  `).join("")}${indent}}`;
}

/** The declarations of an object's properties. */
export const fieldsOf = ({ properties = {}, required = [] }: Schema, isSent: boolean, indent: string): string[] =>
  Object.entries(properties).map(([name, field]) => {
    const type = typeOf(field, isSent, indent);
    const [mark, end] = required.includes(name) ? ["", ""] : ["?", " | undefined"];
    return `${comment([describe(field, isSent)], indent)}${indent}${name}${mark}: ${type}${end};\n`;
  });

/**
 * The description of a field, with its default and with what a time that is sent may look like. A field that can be
 * null has the description of its value.
 */
function describe(schema: Schema, isSent: boolean): string {
  const { description, anyOf = [] } = schema;
  const isTime = [schema, ...anyOf].some(({ format }) => format === "date-time");
  const sentences = [
    description ?? anyOf.find((one) => one.description)?.description,
    isSent && isTime && "ISO 8601 with any offset.",
    "default" in schema && `By default \`${JSON.stringify(schema.default)}\`.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** A docstring of paragraphs, in lines that fit; empty without a text. */
export function comment(paragraphs: readonly (string | undefined)[], indent = ""): string {
  const [first, ...others] = paragraphs.filter((text): text is string => text !== undefined && text !== "");
  if (first === undefined) return "";
  const line = `${indent}/** ${first} */`;
  if (others.length === 0 && !first.includes("\n") && line.length <= MAX_COLUMNS) return `${line}\n`;
  const lines = [first, ...others].flatMap((text, i) => [...(i === 0 ? [] : [""]), ...wrapped(text, indent)]);
  return `${indent}/**\n${lines.map((words) => `${indent} * ${words}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Lines that the text has already, as an example has, stay as they are. */
function wrapped(text: string, indent: string): string[] {
  if (text.includes("\n")) return text.split("\n");
  const maxColumns = MAX_COLUMNS - indent.length - " * ".length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > maxColumns) {
      lines.push(line);
      line = "";
    }
    line += line ? ` ${word}` : word;
  }
  return [...lines, line];
}
