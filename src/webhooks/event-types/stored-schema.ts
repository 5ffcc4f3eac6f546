/** Schemas as they are stored. */
import { describeError, log } from "../../base/log/log";
import { type Meter, OutOfSteps, PRICES } from "../work/meter";
import { type CompiledSchema, compileSchema } from "./json-schema/check";

/** Stands for a schema whose compiling the request could not pay for. */
export const TOO_COSTLY = "too costly";

/**
 * Compiles a stored schema of the event type, for which `meter` pays. One that cannot be read allows everything, and
 * the log has a line about it: it is no reason to refuse what is published.
 */
export function readSchema(
  stored: string,
  of: { tenantId: string; eventType: string },
  meter: Meter,
): CompiledSchema | typeof TOO_COSTLY {
  try {
    meter.pay(stored.length * PRICES.schemaCharacter);
    const compiled = compileSchema(JSON.parse(stored), meter);
    for (const { length } of compiled.patterns.values()) meter.pay(length * PRICES.keptInstruction);
    return compiled;
  } catch (error) {
    if (error instanceof OutOfSteps) return TOO_COSTLY;
    log("error", "stored schema not read", { ...of, ...describeError(error) });
    return compileSchema(true);
  }
}
