/** What a schema must be to be registered, and what a validation needs to know about it. */
import type { ErrorDetail } from "../../../base/errors";
import { placeOfExact } from "../../../base/exact-json";
import { COMPILING_STEPS, Meter, OutOfSteps, PRICES } from "../../work/meter";
import { isObject } from "./canonical";
import { APPLICATORS, KEYWORDS, refuseName, refusePrefix } from "./keywords";
import { compilePattern, PatternError, type Program } from "./pattern";
import { type Below, hasEndlessReference, placeOf, type Schema, type Subschema } from "./places";

export type { Schema } from "./places";

const KIB = 1024;
const MAX_BYTES = 64 * KIB;
const MAX_DEPTH = 20;
const MAX_SUBSCHEMAS = 2000;
const MAX_DETAILS = 10;
/** Of all patterns together: they are kept in memory. */
const MAX_INSTRUCTIONS = 10_000;

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

/** Checks and compiles a schema. Throws SchemaRefused. `request` pays too; throws OutOfSteps when it cannot. */
export function compileSchema(schema: unknown, request?: Meter): CompiledSchema {
  if (new TextEncoder().encode(JSON.stringify(schema) ?? "").length > MAX_BYTES) {
    throw new SchemaRefused([{ path: "", message: `Must have at most ${MAX_BYTES / KIB} KiB` }]);
  }
  const exact = placeOfExact(schema);
  if (exact) {
    throw new SchemaRefused([{ path: exact.join("."), message: "Must be a number that a double can hold" }]);
  }
  const walk = new Walk(new Meter(COMPILING_STEPS, request));
  const targets = walk.all(schema);
  if (walk.details.length > 0) throw new SchemaRefused(walk.details.slice(0, MAX_DETAILS));
  return {
    schema: schema as Schema,
    targets: new Map([...targets].map(([reference, place]) => [reference, place.schema])),
    patterns: walk.patterns,
    hasUnevaluated: walk.hasUnevaluated,
  };
}

class Walk {
  readonly details: ErrorDetail[] = [];
  readonly places: Subschema[] = [];
  /** Where each reference is. */
  readonly references = new Map<string, readonly string[]>();
  readonly patterns = new Map<string, Program>();
  hasUnevaluated = false;
  #instructions = 0;

  constructor(readonly meter: Meter) {}

  /** Visits all of it. Returns the places to which references lead. */
  all(schema: unknown): Map<string, Subschema> {
    try {
      const root = this.#visit(schema, [], 0);
      return root ? this.#resolve(root) : new Map<string, Subschema>();
    } catch (error) {
      if (!this.#isOutOfSteps(error)) throw error;
      if (this.details.length === 0) this.#refuse([], this.#tooMuch());
      return new Map();
    }
  }

  /** Whether the schema alone takes more steps than it may, and not the request. */
  #isOutOfSteps(error: unknown): boolean {
    return error instanceof OutOfSteps && this.meter.spent > this.meter.steps;
  }

  #tooMuch(): string {
    return `Compiling the schema takes more than ${this.meter.steps} steps up to here`;
  }

  #visit(schema: unknown, path: readonly string[], depth: number): Subschema | undefined {
    const isSchema = typeof schema === "boolean" || isObject(schema);
    if (!isSchema || depth > MAX_DEPTH) {
      const tooDeep = `Must not be nested more than ${MAX_DEPTH} levels deep`;
      this.#refuse(path, isSchema ? tooDeep : "Must be an object or a boolean");
      return undefined;
    }
    this.meter.pay(PRICES.subschema);
    const place: Subschema = { schema, below: new Map() };
    this.places.push(place);
    if (this.places.length > MAX_SUBSCHEMAS) {
      if (this.places.length === MAX_SUBSCHEMAS + 1) this.#refuse([], `Must have at most ${MAX_SUBSCHEMAS} subschemas`);
      return place;
    }
    if (typeof schema === "boolean") return place;
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(place, keyword, value, path, depth);
    return place;
  }

  #keyword(place: Subschema, keyword: string, value: unknown, path: readonly string[], depth: number): void {
    if (this.details.length >= MAX_DETAILS) return;
    const here = [...path, keyword];
    if (APPLICATORS.has(keyword)) {
      this.hasUnevaluated ||= keyword.startsWith("unevaluated");
      const below = this.#subschemas(keyword, value, here, depth + 1);
      if (below) place.below.set(keyword, below);
      return;
    }
    if (keyword.startsWith("x-")) return;
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    const refusal = check ? check(value) : "Is not a keyword that is supported here";
    if (refusal !== null) {
      this.#refuse(here, refusal);
      return;
    }
    if (keyword === "$ref") this.references.set(String(value), here);
    if (keyword === "pattern") this.#pattern(String(value), here);
  }

  #pattern(pattern: string, path: readonly string[]): void {
    if (this.patterns.has(pattern)) return;
    const refusal = this.#compiled(pattern);
    if (refusal !== null) this.#refuse(path, refusal);
  }

  /** Compiles a pattern. Returns what is wrong with it; null if nothing is. */
  #compiled(pattern: string): string | null {
    try {
      const program = compilePattern(pattern, this.meter);
      this.patterns.set(pattern, program);
      this.#instructions += program.length;
      return this.#instructions > MAX_INSTRUCTIONS
        ? `All patterns together must have at most ${MAX_INSTRUCTIONS} instructions, not ${this.#instructions}`
        : null;
    } catch (error) {
      if (error instanceof PatternError) return error.message;
      if (!this.#isOutOfSteps(error)) throw error;
      return this.#tooMuch();
    }
  }

  #subschemas(keyword: string, value: unknown, path: readonly string[], depth: number): Below | undefined {
    const holds = APPLICATORS.get(keyword);
    if (holds === "schema") return this.#visit(value, path, depth);
    const isRight = holds === "schemas" ? Array.isArray(value) && value.length > 0 : isObject(value);
    if (!isRight) {
      this.#refuse(path, holds === "schemas" ? "Must be a list of schemas" : "Must be an object");
      return undefined;
    }
    const below = new Map<string, Subschema>();
    for (const [name, schema] of Object.entries(value as object)) {
      const refusal = refuseName(name) ?? (keyword === "patternProperties" ? refusePrefix(name) : null);
      if (refusal !== null) this.#refuse([...path, name], refusal);
      const place = this.#visit(schema, [...path, name], depth);
      if (place) below.set(name, place);
    }
    return below;
  }

  /** Finds the places to which references lead. Refuses those that lead nowhere, or back to themselves. */
  #resolve(root: Subschema): Map<string, Subschema> {
    const targets = new Map<string, Subschema>();
    for (const [reference, path] of this.references) {
      this.meter.pay(reference.length * PRICES.character);
      const place = placeOf(root, reference);
      if (place) targets.set(reference, place);
      else this.#refuse(path, "Leads to no schema");
    }
    if (this.details.length === 0 && hasEndlessReference(this.places, targets)) {
      this.#refuse([], "Has a $ref that leads back to itself");
    }
    return targets;
  }

  #refuse(path: readonly string[], message: string): void {
    if (this.details.length < MAX_DETAILS) this.details.push({ path: path.map(shortened).join("."), message });
  }
}

const MAX_SHOWN_CHARACTERS = 256;
const shortened = (name: string): string =>
  name.length > MAX_SHOWN_CHARACTERS ? `${name.slice(0, MAX_SHOWN_CHARACTERS)}…` : name;
