/** The examples of an import: those that do not fit are left out. */
import { type Meter, PRICES } from "../../work/meter";
import type { Declared } from "../declaration";
import { isObject } from "../json-schema/canonical";
import { followed, memberOf } from "../pointer";
import { checkedSchema, fits } from "../schema";
import { MAX_EXAMPLES, newEventType } from "../schemas";
import type { ImportedType } from "./schemas";

/** An example, and where it is below the type, such as `examples.0`. */
export interface GivenExample {
  /** undefined: it is not in the document. */
  value: unknown;
  path: string;
}

/** The examples of a media type. Throws OutOfSteps. */
export function givenExamples(document: unknown, media: unknown, meter: Meter): GivenExample[] {
  const examples = memberOf(media, "examples");
  if (!isObject(examples)) {
    const value = memberOf(media, "example");
    return value === undefined ? [] : [{ value, path: "example" }];
  }
  return Object.entries(examples).map(([name, example]) => {
    meter.pay(PRICES.value);
    return { value: exampleOf(document, example, meter), path: `examples.${name}` };
  });
}

/** The examples of a message. Throws OutOfSteps. */
export function listedExamples(document: unknown, examples: readonly unknown[], meter: Meter): GivenExample[] {
  return examples.map((example, at) => {
    meter.pay(PRICES.value);
    return { value: memberOf(followed(document, example, meter), "payload"), path: `examples.${at}` };
  });
}

function exampleOf(document: unknown, example: unknown, meter: Meter): unknown {
  const found = followed(document, example, meter);
  // OpenAPI 3.2 has `dataValue`.
  return memberOf(found, "value") ?? memberOf(found, "dataValue");
}

/**
 * Returns the type with the first examples that fit its schema, or else the newest one. If none does, the type keeps
 * those that it has. Throws VALIDATION_FAILED for a schema, and OutOfSteps.
 */
export function withFitting(
  type: ImportedType,
  examples: readonly GivenExample[],
  before: Declared | undefined,
  meter: Meter,
  ignore: (path: string, keyword: string) => void,
): ImportedType {
  if (examples.length === 0) return type;
  const schema = type.schema === undefined ? before?.newest.schema : type.schema;
  const compiled = schema === undefined ? null : checkedSchema(schema, meter);
  const fitting: unknown[] = [];
  for (const { value, path } of examples) {
    const isFitting =
      fitting.length < MAX_EXAMPLES &&
      value !== undefined &&
      newEventType.shape.examples.safeParse([value]).success &&
      (compiled === null || fits(compiled, value, meter));
    if (isFitting) fitting.push(value);
    else ignore(path, "examples");
  }
  return fitting.length === 0 ? type : { ...type, examples: fitting };
}
