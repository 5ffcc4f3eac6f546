/** zod at the door; a failure is the one 400 with a line for each field. */
import { zValidator } from "@hono/zod-validator";
import type { ZodType } from "zod";
import { AppError } from "../errors";

/** Validates the JSON body; unknown fields are ignored. */
export function body<T extends ZodType>(schema: T) {
  return zValidator("json", schema, (result) => {
    if (result.success) return;
    const details = result.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    throw new AppError("VALIDATION_FAILED", { details });
  });
}
