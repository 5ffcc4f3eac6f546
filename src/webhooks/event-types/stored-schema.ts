/** Schemas as they are stored. */
import { describeError, log } from "../../base/log/log";
import { type CompiledSchema, compileSchema } from "./json-schema/check";

/**
 * Compiles a stored schema of the event type. One that cannot be read allows everything, and the log has a line
 * about it: it is no reason to refuse what is published.
 */
export function readSchema(stored: string, of: { tenantId: string; eventType: string }): CompiledSchema {
  try {
    return compileSchema(JSON.parse(stored));
  } catch (error) {
    log("error", "stored schema not read", { ...of, ...describeError(error) });
    return compileSchema(true);
  }
}
