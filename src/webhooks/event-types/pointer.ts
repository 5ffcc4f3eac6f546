/** References within a document: JSON pointers (RFC 6901) as fragments of URIs. */
import { AppError, invalidField } from "../../base/errors";
import { type Meter, PRICES } from "../work/meter";
import { isObject } from "./json-schema/canonical";

/** How many references may follow each other. */
const MAX_HOPS = 10;

/** A name as a part of a reference. Half a surrogate pair, which no reference can have, leads nowhere. */
export const pointerPart = (name: string): string =>
  encodeURIComponent(name.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));

/** The name that a part of a reference stands for. */
export function nameOfPart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

/** The parts of a reference such as `#/components/schemas/Order`, as they are written; null for any other reference. */
export function partsOf(reference: unknown): string[] | null {
  if (reference === "#") return [];
  return typeof reference === "string" && reference.startsWith("#/") ? reference.slice(2).split("/") : null;
}

/** Follows references. Throws VALIDATION_FAILED for one that leads nowhere, and OutOfSteps. */
export function follow(document: unknown, value: unknown, path: string, meter: Meter): unknown {
  let found = value;
  for (let hops = 0; isObject(found) && Object.hasOwn(found, "$ref"); hops += 1) {
    meter.pay(PRICES.value + String(found["$ref"]).length * PRICES.character);
    const parts = partsOf(found["$ref"]);
    if (parts === null || hops >= MAX_HOPS) throw invalidField(path, "Must refer to a place in the document");
    found = parts.reduce<unknown>((at, part) => memberOf(at, nameOfPart(part)), document);
    if (found === undefined) throw invalidField(path, "Refers to nothing");
  }
  return found;
}

/** As `follow`; undefined for a reference that leads nowhere. Throws OutOfSteps. */
export function followed(document: unknown, value: unknown, meter: Meter): unknown {
  try {
    return follow(document, value, "", meter);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** A member of an object or a list; undefined without one. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
