/** What a new version of a schema breaks for those who publish and for those who subscribe. */
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

/** Compares two versions by their types, enumerations, properties and required names; null if nothing breaks. */
export function breaksOf(before: Schema, after: Schema): Breaks | null {
  const breaks = { publishers: new Paths(), subscribers: new Paths() };
  compare(before, after, [], breaks);
  const [publishers, subscribers] = [[...breaks.publishers.found], [...breaks.subscribers.found]];
  return publishers.length + subscribers.length === 0 ? null : { publishers, subscribers };
}

function compare(before: unknown, after: unknown, path: readonly string[], breaks: Record<keyof Breaks, Paths>): void {
  const [old, next] = [before, after].map((schema) => (isObject(schema) ? schema : {}));
  if (!old || !next) return;
  const publishers = (name?: string) => breaks.publishers.add(path, name);
  const subscribers = (name?: string) => breaks.subscribers.add(path, name);
  if (after === false && before !== false) publishers();
  for (const keyword of ["type", "enum"]) {
    if (isNarrower(old[keyword], next[keyword])) publishers();
  }
  if (isNarrower(next["type"], old["type"])) subscribers();
  if (next["additionalProperties"] === false && old["additionalProperties"] !== false) publishers();
  for (const name of without(next["required"], old["required"])) publishers(name);
  for (const name of without(old["required"], next["required"])) subscribers(name);
  const properties = [old, next].map((schema) => (isObject(schema["properties"]) ? schema["properties"] : {}));
  const [had = {}, has = {}] = properties;
  for (const [name, schema] of Object.entries(had)) {
    if (!Object.hasOwn(has, name)) subscribers(name);
    else compare(schema, has[name], [...path, name], breaks);
  }
  if (old["items"] !== undefined && next["items"] !== undefined) compare(old["items"], next["items"], path, breaks);
}

/** Whether `after` leaves out something of `before`; a missing keyword allows all. */
function isNarrower(before: unknown, after: unknown): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  const allowed = new Set([after].flat().map(canonical));
  return [before].flat().some((one) => !allowed.has(canonical(one)) && !(one === "integer" && allowed.has('"number"')));
}

/** The names of the first list that the second lacks. */
function without(names: unknown, others: unknown): string[] {
  const known = new Set(Array.isArray(others) ? others : []);
  return (Array.isArray(names) ? (names as string[]) : []).filter((name) => !known.has(name));
}
