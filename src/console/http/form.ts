/** The fields of a submitted form, as text; the API's schemas validate them. */
import type { Context } from "hono";
import type { AppEnv } from "../../platform/http/env";

export interface Form {
  /** The field's value, empty when it is missing. */
  text(name: string): string;
  /** The field's value, undefined when it is missing or empty: for optional fields. */
  optional(name: string): string | undefined;
  /** All values of a field that may be repeated. */
  list(name: string): string[];
}

export async function readForm(c: Context<AppEnv>): Promise<Form> {
  const fields = await c.req.parseBody({ all: true });
  const list = (name: string) => [fields[name] ?? []].flat().filter((value) => typeof value === "string");
  const text = (name: string) => list(name)[0] ?? "";
  return { text, optional: (name) => text(name) || undefined, list };
}
