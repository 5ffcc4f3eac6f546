/** Validation of requests with zod. An invalid request gets VALIDATION_FAILED with one detail per field. */
import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler } from "hono";
import { validator } from "hono/validator";
import { type input, type output, preprocess, type ZodObject, type ZodType } from "zod";
import { invalid } from "../errors";
import { withExactNumbers } from "../exact-json";
import { refuseDeep } from "../json-depth";
import { parseWithNulls } from "../schemas/nulls";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

/** Validates the JSON body, whose numbers keep their digits. Ignores unknown fields, and nulls of optional ones. */
export function body<T extends ZodType>(schema: T) {
  const validate = validator("json", async (parsed, c) => {
    const text = await c.req.text();
    refuseDeep(text);
    const value = withExactNumbers(text, parsed);
    // In a change, null says that something goes.
    const result = await (c.req.method === "PATCH" ? schema.safeParseAsync(value) : parseWithNulls(schema, value));
    if (!result.success) throw invalid(result.error);
    return result.data;
  }) as unknown as MiddlewareHandler<AppEnv, string, { in: { json: input<T> }; out: { json: output<T> } }>;
  return documented(validate, { body: schema, errors: ["INVALID_JSON", "VALIDATION_FAILED"] });
}

/**
 * Loops over pages begin with an empty cursor. What filters is not taken empty: a program that has lost an id would get
 * everybody.
 */
const EMPTY_AT_FIRST: readonly string[] = ["cursor", "limit"];

const withoutEmpty = (given: unknown) =>
  Object.fromEntries(
    Object.entries(given ?? {}).filter(([name, value]) => value !== "" || !EMPTY_AT_FIRST.includes(name)),
  );

/** Validates the query string. Unknown parameters are ignored, repeated ones are refused. */
export function query<T extends ZodObject>(schema: T) {
  const validate = zValidator("query", preprocess(withoutEmpty, schema), (result) => {
    if (!result.success) throw invalid(result.error);
  });
  return documented(validate, { query: schema, errors: ["VALIDATION_FAILED"] });
}
