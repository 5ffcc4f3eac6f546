/** What a new version of a schema breaks for those who publish and for those who subscribe. */
import { Meter, PRICES } from "../../work/meter";
import { canonical, isObject } from "./canonical";
import type { Schema } from "./check";

/** Paths below the payload, such as "items.sku". */
export interface Breaks {
  /** Where payloads that were valid may no longer be. */
  publishers: string[];
  /** Where payloads may have lost what subscribers read. */
  subscribers: string[];
}

const MAX_PATHS = 100;

/** Paths that are told. Those beyond `MAX_PATHS` are not made: thousands of names can be below a long path. */
class Paths {
  readonly found = new Set<string>();

  add(path: readonly string[], name?: string): void {
    if (this.found.size < MAX_PATHS) this.found.add([...path, ...(name === undefined ? [] : [name])].join("."));
  }
}

/**
 * Compares two versions by their types, enumerations, properties and required names; null if nothing breaks. Throws
 * OutOfSteps.
 */
export function breaksOf(before: Schema, after: Schema, meter = new Meter()): Breaks | null {
  const comparison = new Comparison(meter);
  comparison.compare(before, after, []);
  const [publishers, subscribers] = [[...comparison.publishers.found], [...comparison.subscribers.found]];
  return publishers.length + subscribers.length === 0 ? null : { publishers, subscribers };
}

class Comparison {
  readonly publishers = new Paths();
  readonly subscribers = new Paths();

  constructor(readonly meter: Meter) {}

  compare(before: unknown, after: unknown, path: readonly string[]): void {
    this.meter.pay(PRICES.subschema);
    const [old, next] = [before, after].map((schema) => (isObject(schema) ? schema : {}));
    if (!old || !next) return;
    const publishers = (name?: string) => this.publishers.add(path, name);
    const subscribers = (name?: string) => this.subscribers.add(path, name);
    if (after === false && before !== false) publishers();
    for (const keyword of ["type", "enum"]) {
      if (this.#isNarrower(old[keyword], next[keyword])) publishers();
    }
    if (this.#isNarrower(next["type"], old["type"])) subscribers();
    if (next["additionalProperties"] === false && old["additionalProperties"] !== false) publishers();
    for (const name of this.#without(next["required"], old["required"])) publishers(name);
    for (const name of this.#without(old["required"], next["required"])) subscribers(name);
    const properties = [old, next].map((schema) => (isObject(schema["properties"]) ? schema["properties"] : {}));
    const [had = {}, has = {}] = properties;
    for (const [name, schema] of Object.entries(had)) {
      if (!Object.hasOwn(has, name)) subscribers(name);
      else this.compare(schema, has[name], [...path, name]);
    }
    if (old["items"] !== undefined && next["items"] !== undefined) this.compare(old["items"], next["items"], path);
  }

  /** Whether `after` leaves out something of `before`; a missing keyword allows all. */
  #isNarrower(before: unknown, after: unknown): boolean {
    if (after === undefined) return false;
    if (before === undefined) return true;
    this.meter.pay(JSON.stringify([before, after]).length * PRICES.canonicalCharacter);
    const allowed = new Set([after].flat().map(canonical));
    return [before]
      .flat()
      .some((one) => !allowed.has(canonical(one)) && !(one === "integer" && allowed.has('"number"')));
  }

  /** The names of the first list that the second lacks. */
  #without(names: unknown, others: unknown): string[] {
    const [listed, known] = [names, others].map((list) => (Array.isArray(list) ? (list as string[]) : []));
    if (!listed || !known) return [];
    this.meter.pay((listed.length + known.length) * PRICES.keptItem);
    const taken = new Set(known);
    return listed.filter((name) => !taken.has(name));
  }
}
