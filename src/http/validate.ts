/** zod at the door; a failure is the one 400 with a line for each field. */
import { zValidator } from "@hono/zod-validator";
import type { ZodObject, ZodType } from "zod";
import { invalid } from "../errors";
import { documented } from "./route-docs";

/** Validates the JSON body; unknown fields are ignored. */
export function body<T extends ZodType>(schema: T) {
  const validate = zValidator("json", schema, (result) => {
    if (!result.success) throw invalid(result.error);
  });
  return documented(validate, { body: schema, errors: ["INVALID_JSON", "VALIDATION_FAILED"] });
}

/** Validates the query; unknown parameters are ignored, one given twice is refused. */
export function query<T extends ZodObject>(schema: T) {
  const validate = zValidator("query", schema, (result) => {
    if (!result.success) throw invalid(result.error);
  });
  return documented(validate, { query: schema, errors: ["VALIDATION_FAILED"] });
}
