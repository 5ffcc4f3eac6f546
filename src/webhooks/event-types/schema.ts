/** Schemas and examples that a request brings. */
import { AppError, refuseInvalid } from "../../base/errors";
import { type CompiledSchema, compileSchema, SchemaRefused } from "./json-schema/check";
import type { RequestMeter } from "./json-schema/meter";
import type { Finding } from "./json-schema/report";
import { validate } from "./json-schema/validate";

/** Compiles the member `schema` of a request. Throws VALIDATION_FAILED. */
export function checkedSchema(schema: unknown): CompiledSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    const details = error.details.map(({ path, message }) => ({
      path: path === "" ? "schema" : `schema.${path}`,
      message,
    }));
    throw new AppError("VALIDATION_FAILED", { details });
  }
}

/** Whether an example fits the schema. */
export const fits = (schema: CompiledSchema, example: unknown, meter?: RequestMeter): boolean =>
  validate(schema, example, "", meter).length === 0;

/** Throws VALIDATION_FAILED for the examples that do not fit the schema. `meter` counts what they cost. */
export function checkExamples(schema: CompiledSchema, examples: readonly unknown[], meter?: RequestMeter): void {
  const details = examples.flatMap((example, place): Finding[] =>
    fits(schema, example, meter) ? [] : [{ path: `examples.${place}`, message: "Does not fit the schema" }],
  );
  refuseInvalid(details);
}
