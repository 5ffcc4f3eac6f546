/** TypeScript types for JSON Schemas. What a type cannot say, such as a pattern, is left out. */
import { isObject } from "../json-schema/canonical";
import { compileSchema, type Schema, SchemaRefused } from "../json-schema/check";

/** Gives the name of the type to which a reference leads. */
type NameOf = (reference: string) => string;

/** The named types to which references lead, over all schemas of a document. */
export class Definitions {
  readonly #names = new Set(["PosternEvents"]);
  #text = "";

  /** Returns the names of what the references of a schema lead to. */
  of(schema: unknown): NameOf {
    const targets = targetsOf(schema);
    const named = new Map<string, string>();
    for (const reference of targets.keys()) named.set(reference, this.#newName(reference));
    const nameOf: NameOf = (reference) => named.get(reference) ?? "unknown";
    for (const [reference, target] of targets) {
      this.#text += `\ntype ${nameOf(reference)} = ${typeText(target, nameOf, 0)};\n`;
    }
    return nameOf;
  }

  get length(): number {
    return this.#text.length;
  }

  /** Returns the types that were not taken before. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #newName(reference: string): string {
    const words = (reference.split("/").at(-1) ?? "").split(/[^A-Za-z0-9]+/).filter((word) => /^[A-Za-z]/.test(word));
    const base = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("") || "Payload";
    let name = `${base}Type`;
    for (let count = 2; this.#names.has(name); count += 1) name = `${base}Type${count}`;
    this.#names.add(name);
    return name;
  }
}

/** What the references of a schema lead to; nothing if it is stored in a form that cannot be read. */
function targetsOf(schema: unknown): ReadonlyMap<string, Schema> {
  try {
    return compileSchema(schema).targets;
  } catch (error) {
    if (error instanceof SchemaRefused) return new Map();
    throw error;
  }
}

/** The type of the values that fit a schema, at a level of indentation. */
export function typeText(schema: unknown, nameOf: NameOf, level: number): string {
  if (!isObject(schema)) return schema === false ? "never" : "unknown";
  const of = (subschema: unknown) => typeText(subschema, nameOf, level);
  const parts = [
    ownType(schema, nameOf, level),
    ...(typeof schema["$ref"] === "string" ? [nameOf(schema["$ref"])] : []),
    ...listOf(schema["allOf"]).map(of),
    ...["anyOf", "oneOf"].flatMap((keyword) => {
      const any = listOf(schema[keyword]).map(of);
      return any.length === 0 ? [] : [union(any)];
    }),
  ].filter((part) => part !== "unknown");
  return parts.length < 2 ? (parts[0] ?? "unknown") : parts.map((part) => `(${part})`).join(" & ");
}

function ownType(schema: Exclude<Schema, boolean>, nameOf: NameOf, level: number): string {
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map((value) => JSON.stringify(value)));
  const guessed =
    "properties" in schema || "required" in schema
      ? "object"
      : "items" in schema || "prefixItems" in schema
        ? "array"
        : undefined;
  const types = [schema["type"] ?? guessed].flat().filter((type) => type !== undefined);
  return types.length === 0 ? "unknown" : union(types.map((type) => byType(String(type), schema, nameOf, level)));
}

function byType(type: string, schema: Exclude<Schema, boolean>, nameOf: NameOf, level: number): string {
  if (type === "object") return objectType(schema, nameOf, level);
  if (type === "array") return arrayType(schema, nameOf, level);
  return type === "integer" ? "number" : type;
}

function objectType(schema: Exclude<Schema, boolean>, nameOf: NameOf, level: number): string {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const listed = new Set(properties.map(([name]) => name));
  const required = new Set(listOf(schema["required"]).map(String));
  for (const name of required) if (!listed.has(name)) properties.push([name, true]);
  // TypeScript allows other members anyway. Only where the schema speaks of them are they to be read without a cast.
  const others = schema["additionalProperties"] ?? properties.length === 0;
  const indent = "  ".repeat(level + 1);
  const members = properties.map(
    ([name, subschema]) =>
      `${indent}${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${typeText(subschema, nameOf, level + 1)};`,
  );
  const isOpen = others !== false || "patternProperties" in schema;
  // The type of other members would have to fit the listed ones too, so it is given only where none is listed.
  const other =
    properties.length === 0 && !("patternProperties" in schema) ? typeText(others, nameOf, level + 1) : "unknown";
  const lines = [...members, ...(isOpen ? [`${indent}[name: string]: ${other};`] : [])];
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${"  ".repeat(level)}}`;
}

function arrayType(schema: Exclude<Schema, boolean>, nameOf: NameOf, level: number): string {
  const items = `(${typeText(schema["items"] ?? true, nameOf, level)})[]`;
  const first = listOf(schema["prefixItems"]).map((subschema) => `(${typeText(subschema, nameOf, level)})?`);
  return first.length === 0
    ? items
    : `[${[...first, ...(schema["items"] === false ? [] : [`...${items}`])].join(", ")}]`;
}

const union = (types: readonly string[]): string =>
  [...new Set(types)].map((type) => (type.includes("&") ? `(${type})` : type)).join(" | ");
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
