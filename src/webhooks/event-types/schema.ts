/** Schemas and examples that a request brings. */
import { AppError } from "../../platform/errors";
import { type CompiledSchema, compileSchema, SchemaRefused } from "./json-schema/check";
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

/** Whether an example fits the schema. Without one, all do. */
export const fits = (schema: unknown, example: unknown): boolean =>
  schema === undefined || validate(checkedSchema(schema), example, "").length === 0;

/** Throws VALIDATION_FAILED for the examples that do not fit the schema. */
export function checkExamples(schema: CompiledSchema, examples: readonly unknown[]): void {
  const details = examples.flatMap((example, place): Finding[] =>
    validate(schema, example, "").length === 0
      ? []
      : [{ path: `examples.${place}`, message: "Does not fit the schema" }],
  );
  if (details.length > 0) throw new AppError("VALIDATION_FAILED", { details });
}
