/** zod at the door; a failure is the one 400 with a line for each field. */
import { zValidator } from "@hono/zod-validator";
import type { ZodType } from "zod";
import { invalid } from "../errors";

/** Validates the JSON body; unknown fields are ignored. */
export function body<T extends ZodType>(schema: T) {
  return zValidator("json", schema, (result) => {
    if (!result.success) throw invalid(result.error);
  });
}
