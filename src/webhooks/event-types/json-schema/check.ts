/** What a schema must be to be registered, and what a validation needs to know about it. */
import type { ErrorDetail } from "../../../base/errors";
import { placeOfExact } from "../../../base/exact-json";
import { isObject } from "./canonical";
import { APPLICATORS, KEYWORDS, refusePrefix, SAME_VALUE } from "./keywords";
import { compilePattern, type Program } from "./pattern";

const KIB = 1024;
const MAX_BYTES = 64 * KIB;
const MAX_DEPTH = 20;
const MAX_SUBSCHEMAS = 2000;
const MAX_DETAILS = 10;
/** Of all patterns together: they are kept in memory. */
const MAX_INSTRUCTIONS = 10_000;

export type Schema = boolean | Readonly<Record<string, unknown>>;

/** A schema that was checked, ready to validate values. */
export interface CompiledSchema {
  schema: Schema;
  /** What each `$ref` leads to. */
  targets: ReadonlyMap<string, Schema>;
  patterns: ReadonlyMap<string, Program>;
  /** Whether it has unevaluatedProperties or unevaluatedItems, for which validation must remember more. */
  hasUnevaluated: boolean;
}

/** A schema that is refused, with what is wrong at which path below it, such as "properties.total.type". */
export class SchemaRefused extends Error {
  constructor(readonly details: readonly ErrorDetail[]) {
    super("the schema is refused");
  }
}

/** Checks and compiles a schema. Throws SchemaRefused. */
export function compileSchema(schema: unknown): CompiledSchema {
  if (new TextEncoder().encode(JSON.stringify(schema) ?? "").length > MAX_BYTES) {
    throw new SchemaRefused([{ path: "", message: `Must have at most ${MAX_BYTES / KIB} KiB` }]);
  }
  const exact = placeOfExact(schema);
  if (exact) {
    throw new SchemaRefused([{ path: exact.join("."), message: "Must be a number that a double can hold" }]);
  }
  const walk = new Walk();
  walk.visit(schema, [], "#", 0);
  walk.resolve();
  if (walk.details.length > 0) throw new SchemaRefused(walk.details.slice(0, MAX_DETAILS));
  return {
    schema: schema as Schema,
    targets: new Map(
      [...walk.references].map(([reference]) => [reference, walk.places.get(decoded(reference)) ?? true]),
    ),
    patterns: walk.patterns,
    hasUnevaluated: walk.hasUnevaluated,
  };
}

class Walk {
  readonly details: ErrorDetail[] = [];
  /** The subschemas by their JSON pointers. */
  readonly places = new Map<string, Schema>();
  /** Where each reference is. */
  readonly references = new Map<string, string>();
  readonly patterns = new Map<string, Program>();
  hasUnevaluated = false;
  #instructions = 0;

  visit(schema: unknown, path: readonly string[], pointer: string, depth: number): void {
    const isSchema = typeof schema === "boolean" || isObject(schema);
    if (!isSchema || depth > MAX_DEPTH) {
      const tooDeep = `Must not be nested more than ${MAX_DEPTH} levels deep`;
      this.#refuse(path, isSchema ? tooDeep : "Must be an object or a boolean");
      return;
    }
    this.places.set(pointer, schema);
    if (this.places.size > MAX_SUBSCHEMAS) {
      if (this.places.size === MAX_SUBSCHEMAS + 1) this.#refuse([], `Must have at most ${MAX_SUBSCHEMAS} subschemas`);
      return;
    }
    if (typeof schema === "boolean") return;
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, path, pointer, depth);
  }

  #keyword(keyword: string, value: unknown, path: readonly string[], pointer: string, depth: number): void {
    if (this.details.length >= MAX_DETAILS) return;
    const here = [...path, keyword];
    const holds = APPLICATORS.get(keyword);
    if (holds !== undefined) {
      this.hasUnevaluated ||= keyword.startsWith("unevaluated");
      this.#subschemas(keyword, value, here, `${pointer}/${keyword}`, depth + 1);
      return;
    }
    if (keyword.startsWith("x-")) return;
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    const refusal = check ? check(value) : "Is not a keyword that is supported here";
    if (refusal !== null) {
      this.#refuse(here, refusal);
      return;
    }
    if (keyword === "$ref") this.references.set(String(value), here.join("."));
    if (keyword === "pattern") this.#pattern(String(value), here);
  }

  #pattern(pattern: string, path: readonly string[]): void {
    if (this.patterns.has(pattern)) return;
    const program = compilePattern(pattern);
    this.patterns.set(pattern, program);
    this.#instructions += program.length;
    if (this.#instructions > MAX_INSTRUCTIONS) this.#refuse(path, "Is too large together with the other patterns");
  }

  #subschemas(keyword: string, value: unknown, path: readonly string[], pointer: string, depth: number): void {
    const holds = APPLICATORS.get(keyword);
    if (holds === "schema") {
      this.visit(value, path, pointer, depth);
      return;
    }
    const isRight = holds === "schemas" ? Array.isArray(value) && value.length > 0 : isObject(value);
    if (!isRight) {
      this.#refuse(path, holds === "schemas" ? "Must be a list of schemas" : "Must be an object");
      return;
    }
    for (const [name, schema] of Object.entries(value as object)) {
      const refusal = keyword === "patternProperties" ? refusePrefix(name) : null;
      if (refusal !== null) this.#refuse([...path, name], refusal);
      this.visit(schema, [...path, name], `${pointer}/${escaped(name)}`, depth);
    }
  }

  /** Looks for references that lead nowhere, or back to themselves on the same value. */
  resolve(): void {
    for (const [reference, path] of this.references) {
      if (!this.places.has(decoded(reference))) this.#refuse(path.split("."), "Leads to no schema");
    }
    if (this.details.length > 0) return;
    const state = new Map<string, "open" | "done">();
    for (const pointer of this.places.keys()) {
      const endless = this.#endless(pointer, state);
      if (endless === null) continue;
      this.#refuse([], `Has a $ref that leads back to itself: ${endless}`);
      return;
    }
  }

  /** Follows what is applied to the same value; each place once. */
  #endless(pointer: string, state: Map<string, "open" | "done">): string | null {
    if (state.get(pointer) === "open") return pointer;
    if (state.has(pointer)) return null;
    state.set(pointer, "open");
    for (const next of this.#onSameValue(pointer)) {
      const endless = this.#endless(next, state);
      if (endless !== null) return endless;
    }
    state.set(pointer, "done");
    return null;
  }

  #onSameValue(pointer: string): string[] {
    const schema = this.places.get(pointer);
    if (!isObject(schema)) return [];
    const reference = typeof schema["$ref"] === "string" ? [decoded(schema["$ref"])] : [];
    const applied = SAME_VALUE.filter((keyword) => Object.hasOwn(schema, keyword)).flatMap((keyword) => {
      const at = `${pointer}/${keyword}`;
      return APPLICATORS.get(keyword) === "schema"
        ? [at]
        : Object.keys(schema[keyword] as object).map((name) => `${at}/${escaped(name)}`);
    });
    return [...reference, ...applied];
  }

  #refuse(path: readonly string[], message: string): void {
    this.details.push({ path: path.join("."), message });
  }
}

/** A name as a part of a JSON pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** The JSON pointer of a reference, which is a fragment of a URI. */
function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
