/** The event types of an import in the form of the API, such as an export in JSON. */
import { AppError, invalidField } from "../../../base/errors";
import { type Meter, OutOfSteps } from "../../work/meter";
import { convertedAlone } from "./conversion";
import type { Item } from "./item";
import type { ImportReport } from "./report";
import type { ImportedType } from "./schemas";

/** Returns the types that can be read, for which `meter` pays. */
export function typesOfList(given: readonly ImportedType[], meter: Meter, report: ImportReport): Item[] {
  const seen = new Set<string>();
  const first = given.flatMap((type, place) => {
    const path = `eventTypes.${place}`;
    if (seen.has(type.name)) {
      report.fail(type.name, invalidField(`${path}.name`, "Is in the import twice"));
      return [];
    }
    seen.add(type.name);
    return [{ type, path }];
  });
  return first.flatMap(({ type, path }) => {
    try {
      return [itemOf(type, path, meter, report)];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.fail(type.name, error);
      return [];
    }
  });
}

function itemOf({ examples, ...type }: ImportedType, path: string, meter: Meter, report: ImportReport): Item {
  const ignore = (at: string, keyword: string) => report.ignore(type.name, `${path}.schema.${at}`, keyword);
  // An empty list and null clear those that the type has.
  const isCleared = examples === null || examples?.length === 0;
  const own = isCleared ? { ...type, examples } : type;
  const given = (examples ?? []).map((value, place) => ({ value, path: `examples.${place}` }));
  if (type.schema === undefined) return { type: own, path, examples: given };
  try {
    return { type: { ...own, schema: convertedAlone(type.schema, { meter, ignore }) }, path, examples: given };
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField(path, `Converting it takes more than the ${meter.steps} steps of an import: split the list`);
  }
}
