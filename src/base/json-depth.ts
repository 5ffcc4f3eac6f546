/** How deeply the JSON of a request may be nested, whatever the route makes of it. */
import { AppError } from "./errors";
import { endOfString } from "./exact-json";
import { MAX_DEPTH } from "./schemas/schemas";

/** A payload may be nested so deeply, and a request has some levels around it. */
const MAX_REQUEST_DEPTH = MAX_DEPTH + 12;

/**
 * Throws INVALID_JSON for a text that is nested too deeply. It is read in a loop, before anything walks through its
 * value by recursion, which would overflow the stack.
 */
export function refuseDeep(json: string): void {
  if (isDeeper(json, MAX_REQUEST_DEPTH)) {
    throw new AppError("INVALID_JSON", { message: `The body is nested more than ${MAX_REQUEST_DEPTH} levels deep.` });
  }
}

/** Whether JSON is nested deeper. */
function isDeeper(json: string, maxDepth: number): boolean {
  // Each level has two brackets.
  if (json.length <= 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < json.length && depth <= maxDepth; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === 0x22) at = endOfString(json, at);
    else if (unit === 0x5b || unit === 0x7b) depth += 1;
    else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return depth > maxDepth;
}
