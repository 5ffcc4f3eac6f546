/** Schemas and examples that a request brings. */
import { AppError, invalidField, refuseInvalid } from "../../base/errors";
import { type Meter, OutOfSteps, REQUEST_STEPS } from "../work/meter";
import { type CompiledSchema, compileSchema, SchemaRefused } from "./json-schema/check";
import type { Finding } from "./json-schema/report";
import { validate } from "./json-schema/validate";

const TOO_MUCH = `Takes more than the ${REQUEST_STEPS} steps of a request, together with what comes before it`;

/** Compiles the member `schema` of a request, for which `meter` pays. Throws VALIDATION_FAILED. */
export function checkedSchema(schema: unknown, meter?: Meter): CompiledSchema {
  try {
    return orTooMuch("schema", () => compileSchema(schema, meter));
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    const details = error.details.map(({ path, message }) => ({
      path: path === "" ? "schema" : `schema.${path}`,
      message,
    }));
    throw new AppError("VALIDATION_FAILED", { details });
  }
}

/** Throws VALIDATION_FAILED for the field whose work has no steps left. */
export function orTooMuch<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof OutOfSteps ? invalidField(field, TOO_MUCH) : error;
  }
}

/** Whether an example fits the schema. */
export const fits = (schema: CompiledSchema, example: unknown, meter?: Meter): boolean =>
  validate(schema, example, "", meter).length === 0;

/** Throws VALIDATION_FAILED for the examples that do not fit the schema. `meter` counts what they cost. */
export function checkExamples(schema: CompiledSchema, examples: readonly unknown[], meter?: Meter): void {
  const details = examples.flatMap((example, place): Finding[] =>
    fits(schema, example, meter) ? [] : [{ path: `examples.${place}`, message: "Does not fit the schema" }],
  );
  refuseInvalid(details);
}
