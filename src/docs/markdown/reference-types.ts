/** JSON Schemas of the OpenAPI document as short texts and lists. Types with names are links. */

import { escaped } from "./render";

/** The keywords that the document has. */
export interface DocumentedSchema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  items?: DocumentedSchema;
  properties?: Readonly<Record<string, DocumentedSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | DocumentedSchema;
  anyOf?: readonly DocumentedSchema[];
  oneOf?: readonly DocumentedSchema[];
  allOf?: readonly DocumentedSchema[];
}

/** Lists within lists beyond this depth are left to the type's own entry. */
const MAX_DEPTH = 4;

const code = (value: unknown) => `<code>${escaped(JSON.stringify(value))}</code>`;

/** A description as HTML, with the code in it. */
export const withCode = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/** What a value is, in a few words, as HTML. */
export function typeText(schema: DocumentedSchema): string {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `<a href="#type-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(", ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeText).join(" or ");
  if (schema.allOf) return schema.allOf.map(typeText).join(" and ");
  if (schema.items) return `list of ${typeText(schema.items)}`;
  const types = [schema.type ?? "any value"].flat();
  return types.map((type) => (type === "string" && schema.format ? schema.format : type)).join(" or ");
}

/** The fields of an object, or of the objects in a list, as HTML; empty for anything else. */
export function fieldList(schema: DocumentedSchema, depth = 0): string {
  if (depth >= MAX_DEPTH) return "";
  if (schema.items) return fieldList(schema.items, depth);
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts) return parts.map((part) => fieldList(part, depth)).join("");
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `<dt><code>${escaped(name)}</code> <small>${typeText(field)}${required.includes(name) ? "" : ", optional"}` +
      `</small></dt><dd>${withCode(field.description ?? "")}${fieldList(field, depth + 1)}</dd>`,
  );
  return fields.length === 0 ? "" : `<dl>${fields.join("")}</dl>`;
}
