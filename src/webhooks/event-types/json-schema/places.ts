/** The subschemas of a schema as a tree. Nothing is keyed by a whole JSON pointer: thousands share a long beginning. */
import { isObject } from "./canonical";
import { SAME_VALUE } from "./keywords";

export type Schema = boolean | Readonly<Record<string, unknown>>;

/** A subschema, and those in it by the parts of a JSON pointer that lead there: `properties`, then `total`. */
export interface Subschema {
  schema: Schema;
  below: Map<string, Below>;
}

/** What a keyword holds: a subschema, or several by name or index. */
export type Below = Subschema | Map<string, Subschema>;

/** The place to which a reference leads, such as `#/$defs/order`; undefined without one. */
export function placeOf(root: Subschema, reference: string): Subschema | undefined {
  let at: Below | undefined = root;
  for (const part of partsOf(reference)) at = at instanceof Map ? at.get(part) : at?.below.get(part);
  return at instanceof Map ? undefined : at;
}

/** The parts of a JSON pointer (RFC 6901) in a fragment of a URI. */
function partsOf(reference: string): string[] {
  const [, ...parts] = decoded(reference).split("/");
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Whether a reference leads back to where it is, on the same value. Follows each place once. */
export function hasEndlessReference(places: readonly Subschema[], targets: ReadonlyMap<string, Subschema>): boolean {
  const state = new Map<Subschema, "open" | "done">();
  const isEndless = (place: Subschema): boolean => {
    const known = state.get(place);
    if (known !== undefined) return known === "open";
    state.set(place, "open");
    if (onSameValue(place, targets).some(isEndless)) return true;
    state.set(place, "done");
    return false;
  };
  return places.some(isEndless);
}

function onSameValue({ schema, below }: Subschema, targets: ReadonlyMap<string, Subschema>): Subschema[] {
  const target = isObject(schema) && typeof schema["$ref"] === "string" ? targets.get(schema["$ref"]) : undefined;
  const applied = SAME_VALUE.flatMap((keyword) => {
    const found = below.get(keyword);
    return found instanceof Map ? [...found.values()] : found ? [found] : [];
  });
  return target ? [target, ...applied] : applied;
}
