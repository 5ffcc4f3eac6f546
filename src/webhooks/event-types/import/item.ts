/** Reads the types of a document of others: one that cannot be read holds up no other. */
import { AppError, invalid, invalidField } from "../../../base/errors";
import { typeNameOf } from "../../../base/schemas/event-type";
import { type Meter, OutOfSteps, PRICES } from "../../work/meter";
import type { GivenExample } from "./examples";
import type { ImportReport } from "./report";
import { type ImportedType, importedType } from "./schemas";

const KIB = 1024;
/** Of all types together. Each gets the shared schemas that it refers to. */
const MAX_BYTES = 4096 * KIB;
const MAX_TYPES = 1000;

/** A type to import, and where it is given. */
export interface Item {
  type: ImportedType;
  path: string;
  /** Those that do not fit are left out. */
  examples: readonly GivenExample[];
}

/** The document that is read, and what pays for it. */
export interface Reading {
  document: unknown;
  meter: Meter;
  report: ImportReport;
}

/** A part of the document that describes a type. */
export interface Described<Part> {
  name: string;
  path: string;
  part: Part;
}

/** Where a type is read from, and how to tell what is left out of it. */
export interface TypePlace {
  name: string;
  path: string;
  document: unknown;
  meter: Meter;
  ignore: (path: string, keyword: string) => void;
}

/** Returns the types that can be read; `path` is that of all parts. Throws VALIDATION_FAILED. */
export function readTypes<Part>(
  { document, meter, report }: Reading,
  path: string,
  parts: readonly Described<Part>[],
  read: (place: TypePlace, part: Part) => Item,
): Item[] {
  if (parts.length > MAX_TYPES) throw invalidField(path, `Must have at most ${MAX_TYPES}`);
  let bytes = 0;
  const taken = new Set<string>();
  return parts.flatMap(({ name: given, path: own, part }) => {
    const name = typeNameOf(given);
    const ignore = (at: string, keyword: string) => report.ignore(name, `${own}.${at}`, keyword);
    try {
      if (taken.has(name)) throw invalidField(own, "Another one has this name");
      if (name !== given) ignore("name", "name");
      const item = within(meter, own, () => read({ name, path: own, document, meter, ignore }, part));
      bytes += within(meter, own, () => sizeOf(item, meter, MAX_BYTES - bytes));
      taken.add(name);
      return [item];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // What was left out of a type that was taken is told by its name.
      report.fail(taken.has(name) ? given : name, error);
      return [];
    }
  });
}

function within<T>(meter: Meter, path: string, convert: () => T): T {
  try {
    if (meter.isSpent) throw new OutOfSteps();
    return convert();
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField(path, `Converting it takes more than the ${meter.steps} steps of an import: split the document`);
  }
}

function sizeOf({ type, examples, path }: Item, meter: Meter, room: number): number {
  const bytes = new TextEncoder().encode(JSON.stringify([type, examples])).length;
  meter.pay(bytes * PRICES.copiedCharacter);
  if (bytes <= room) return bytes;
  throw invalidField(
    path,
    `The types up to here have more than ${MAX_BYTES / KIB} KiB, with the shared schemas in each: split the document`,
  );
}

/** A type with the fields that are not undefined. Throws VALIDATION_FAILED. */
export function itemOf({ name, path }: TypePlace, fields: object, examples: readonly GivenExample[]): Item {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const { success, data, error } = importedType.safeParse({ ...Object.fromEntries(given), name });
  if (success) return { type: data, path, examples };
  const { details = [] } = invalid(error);
  throw new AppError("VALIDATION_FAILED", {
    details: details.map((detail) => ({ ...detail, path: `${path}.${detail.path}` })),
  });
}

/** A text that is too long costs itself, and not the type. */
export function firstThatFits(
  { ignore }: TypePlace,
  field: "description" | "deprecated" | "group",
  candidates: readonly unknown[],
): unknown {
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    if (importedType.shape[field].safeParse(candidate).success) return candidate;
    ignore(field, field);
  }
  return undefined;
}
