/** Event types for what is tested without a service. */
import { type Declared, declare } from "../../src/webhooks/event-types/declaration";

/** A type with a schema; undefined for a type without one. */
export const declaredType = (name: string, schema: unknown): Declared => declare({ name, schema, enforce: "off" }, 0);
