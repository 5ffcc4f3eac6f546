/** TypeScript types for JSON Schemas. What a type cannot say, such as a pattern, is left out. */
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { compileSchema, type Schema, SchemaRefused } from "../json-schema/check";

type Rules = Exclude<Schema, boolean>;

/** Gives the name of the type to which a reference leads. */
type NameOf = (reference: string) => string;

/** The named types to which references lead, over all schemas of a document. */
export class Definitions {
  readonly #names = new Set(["PosternEvents"]);
  /** How many names there are that begin with a text, so that none is counted up again. */
  readonly #counts = new Map<string, number>();
  #text = "";

  constructor(readonly meter: Meter) {}

  /** Returns the names of what the references of a schema lead to. */
  of(schema: unknown): NameOf {
    const targets = targetsOf(schema, this.meter);
    // Several references can lead to one place.
    const named = new Map<Schema, string>();
    for (const [reference, target] of targets) {
      if (!named.has(target)) named.set(target, this.#newName(reference));
    }
    const nameOf: NameOf = (reference) => named.get(targets.get(reference) ?? false) ?? "unknown";
    for (const [target, name] of named) {
      this.#text += `\ntype ${name} = ${typeText(target, nameOf, 0, this.meter)};\n`;
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
    for (;;) {
      this.meter.pay(PRICES.keptItem);
      const count = (this.#counts.get(base) ?? 0) + 1;
      this.#counts.set(base, count);
      const name = `${base}Type${count === 1 ? "" : count}`;
      if (this.#names.has(name)) continue;
      this.#names.add(name);
      return name;
    }
  }
}

/** What the references of a schema lead to; nothing if it is stored in a form that cannot be read. */
function targetsOf(schema: unknown, meter: Meter): ReadonlyMap<string, Schema> {
  try {
    return compileSchema(schema, meter).targets;
  } catch (error) {
    if (error instanceof SchemaRefused) return new Map();
    throw error;
  }
}

/** The type of the values that fit a schema, at a level of indentation. Throws OutOfSteps. */
export function typeText(schema: unknown, nameOf: NameOf, level: number, meter: Meter): string {
  meter.pay(PRICES.subschema);
  const text = typeOf(schema, nameOf, level, meter);
  // What is around it copies it.
  meter.pay(text.length * PRICES.copiedCharacter);
  return text;
}

function typeOf(schema: unknown, nameOf: NameOf, level: number, meter: Meter): string {
  if (!isObject(schema)) return schema === false ? "never" : "unknown";
  const of = (subschema: unknown) => typeText(subschema, nameOf, level, meter);
  const parts = [
    ownType(schema, nameOf, level, meter),
    ...(typeof schema["$ref"] === "string" ? [nameOf(schema["$ref"])] : []),
    ...listOf(schema["allOf"]).map(of),
    ...["anyOf", "oneOf"].flatMap((keyword) => {
      const any = listOf(schema[keyword]).map(of);
      return any.length === 0 ? [] : [union(any)];
    }),
  ].filter((part) => part !== "unknown");
  return parts.length < 2 ? (parts[0] ?? "unknown") : parts.map((part) => `(${part})`).join(" & ");
}

function ownType(schema: Rules, nameOf: NameOf, level: number, meter: Meter): string {
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map((value) => JSON.stringify(value)));
  const guessed =
    "properties" in schema || "required" in schema
      ? "object"
      : "items" in schema || "prefixItems" in schema
        ? "array"
        : undefined;
  const types = [schema["type"] ?? guessed].flat().filter((type) => type !== undefined);
  return types.length === 0
    ? "unknown"
    : union(types.map((type) => byType(String(type), schema, nameOf, level, meter)));
}

function byType(type: string, schema: Rules, nameOf: NameOf, level: number, meter: Meter): string {
  if (type === "object") return objectType(schema, nameOf, level, meter);
  if (type === "array") return arrayType(schema, nameOf, level, meter);
  return type === "integer" ? "number" : type;
}

function objectType(schema: Rules, nameOf: NameOf, level: number, meter: Meter): string {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const listed = new Set(properties.map(([name]) => name));
  const required = new Set(listOf(schema["required"]).map(String));
  for (const name of required) if (!listed.has(name)) properties.push([name, true]);
  // TypeScript allows other members anyway. Only where the schema speaks of them are they to be read without a cast.
  const others = schema["additionalProperties"] ?? properties.length === 0;
  const indent = "  ".repeat(level + 1);
  const members = properties.map(([name, subschema]) => {
    const key = `${JSON.stringify(name)}${required.has(name) ? "" : "?"}`;
    return `${indent}${key}: ${typeText(subschema, nameOf, level + 1, meter)};`;
  });
  const isOpen = others !== false || "patternProperties" in schema;
  // The type of other members would have to fit the listed ones too, so it is given only where none is listed.
  const other =
    properties.length === 0 && !("patternProperties" in schema)
      ? typeText(others, nameOf, level + 1, meter)
      : "unknown";
  const lines = [...members, ...(isOpen ? [`${indent}[name: string]: ${other};`] : [])];
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${"  ".repeat(level)}}`;
}

function arrayType(schema: Rules, nameOf: NameOf, level: number, meter: Meter): string {
  const items = `(${typeText(schema["items"] ?? true, nameOf, level, meter)})[]`;
  const first = listOf(schema["prefixItems"]).map((subschema) => `(${typeText(subschema, nameOf, level, meter)})?`);
  return first.length === 0
    ? items
    : `[${[...first, ...(schema["items"] === false ? [] : [`...${items}`])].join(", ")}]`;
}

const union = (types: readonly string[]): string =>
  [...new Set(types)].map((type) => (type.includes("&") ? `(${type})` : type)).join(" | ");
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
