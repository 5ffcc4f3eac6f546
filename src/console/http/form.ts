/** A form's fields, as text: what the schemas of the API then check. */
import type { Context } from "hono";
import type { AppEnv } from "../../http/env";

export interface Form {
  /** The field's text, empty when missing. */
  text(name: string): string;
  /** The same, undefined when empty: for what may be left out. */
  optional(name: string): string | undefined;
  /** Every value of a field that may be given several times. */
  list(name: string): string[];
}

export async function readForm(c: Context<AppEnv>): Promise<Form> {
  const fields = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()));
  const text = (name: string) => fields.get(name) ?? "";
  return { text, optional: (name) => text(name) || undefined, list: (name) => fields.getAll(name) };
}
