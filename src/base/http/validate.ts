/** Validation of requests with zod. An invalid request gets VALIDATION_FAILED with one detail per field. */
import { zValidator } from "@hono/zod-validator";
import type { ZodObject, ZodType } from "zod";
import { invalid } from "../errors";
import { documented } from "./route-docs";

/** Validates the JSON body. Unknown fields are ignored. */
export function body<T extends ZodType>(schema: T) {
  const validate = zValidator("json", schema, (result) => {
    if (!result.success) throw invalid(result.error);
  });
  return documented(validate, { body: schema, errors: ["INVALID_JSON", "VALIDATION_FAILED"] });
}

/** Validates the query string. Unknown parameters are ignored, repeated ones are refused. */
export function query<T extends ZodObject>(schema: T) {
  const validate = zValidator("query", schema, (result) => {
    if (!result.success) throw invalid(result.error);
  });
  return documented(validate, { query: schema, errors: ["VALIDATION_FAILED"] });
}
