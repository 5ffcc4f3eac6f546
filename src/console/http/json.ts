/** Fields of forms that hold JSON. */
import { AppError } from "../../base/errors";
import { parseExact } from "../../base/exact-json";

/** Parses the text of the field `path`. Throws VALIDATION_FAILED. */
export function parseJson(path: string, text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const message = error instanceof Error ? `Is not valid JSON: ${error.message}` : "Is not valid JSON";
    throw new AppError("VALIDATION_FAILED", { details: [{ path, message }] });
  }
}
