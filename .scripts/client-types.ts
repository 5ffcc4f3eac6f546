/** Writes the types of postern/client from the OpenAPI document: one for each schema, documented by its description. */
import type { OpenApi, Schema } from "./openapi.ts";

/** Bodies that the client makes from the arguments of its methods, and what it does not call. */
const UNPUBLISHED: ReadonlySet<string> = new Set([
  "CodeRequest",
  "EmailVerification",
  "Error",
  "FactorCode",
  "InvitationAcceptance",
  "NewEventBatch",
  "NotMeReport",
  "PasskeyChange",
  "PasswordResetRequest",
  "RefreshToken",
  "RoleChange",
  "TenantChoice",
  "TenantDeletion",
  "TotpCode",
  "TwoFactorRemoval",
  "WebhookKeySet",
]);

/** Types of query strings, which are no schemas of the document. */
const QUERIES = [
  ["AuditFilter", "/api/v1/audit", "Which events to return."],
  ["EventFilter", "/api/v1/events", "Which events to return."],
  ["LogFilter", "/api/v1/webhooks/{id}/logs", "Which attempts of a log to return."],
  ["SignInOptions", "/api/v1/auth/oauth/{provider}", "Options of a sign-in."],
] as const;

/** A parameter with more values than this is a string: later versions of the service have more of them. */
const MAX_LISTED_VALUES = 20;
const MAX_COLUMNS = 120;
/** With fewer fields in common, two types may be alike by chance. */
const MIN_BASE_FIELDS = 3;

const HEADER = `/**
 * The types of requests and answers. Generated from the OpenAPI document by \`npm run generate\`: to change one, change
 * the schema of its route.
 */

/** A moment in ISO 8601, UTC, with milliseconds: \`2026-11-21T16:04:18.000Z\`. */
export type Timestamp = string;
`;

/** Returns the module, not yet formatted. Throws when a published schema has no description. */
export function clientTypes({ paths, components: { schemas } }: OpenApi): string {
  const sent = sentSchemas(paths, schemas);
  const published = Object.entries(schemas).filter(([id]) => !UNPUBLISHED.has(id));
  const undescribed = published.filter(([, { description }]) => !description).map(([id]) => id);
  if (undescribed.length > 0) throw new Error(`schemas without a description: ${undescribed.join(", ")}`);
  const types = [
    ...published.map(([id, schema]) => typeNamed(id, schema, sent.has(id))),
    ...QUERIES.map(([name, path, does]) => typeNamed(name, querySchema(paths, path, does), true)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [HEADER, ...types.map((type) => declaration(type, baseOf(type, types)))].join("\n");
}

/** The ids of the schemas that requests contain. */
function sentSchemas(paths: OpenApi["paths"], schemas: Record<string, Schema>): Set<string> {
  const sent = new Set<string>();
  const visit = (schema: unknown) => {
    for (const [, id = ""] of JSON.stringify(schema ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (sent.has(id)) continue;
      sent.add(id);
      visit(schemas[id]);
    }
  };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) visit(operation.requestBody);
  return sent;
}

function querySchema(paths: OpenApi["paths"], path: string, description: string): Schema {
  const parameters = paths[path]?.get?.parameters?.filter((parameter) => parameter.in === "query") ?? [];
  if (parameters.length === 0) throw new Error(`GET ${path} has no parameters`);
  const properties = parameters.map(({ name, description: text, schema }) => {
    const { enum: values = [], ...rest } = schema;
    return [name, { ...(values.length > MAX_LISTED_VALUES ? rest : schema), ...(text ? { description: text } : {}) }];
  });
  return { type: "object", description, properties: Object.fromEntries(properties) };
}

interface NamedType {
  name: string;
  docs: string;
  /** The declarations of an object's properties; null for what is no object. */
  fields: readonly string[] | null;
  /** The type of what is no object. */
  type: string;
}

const typeNamed = (name: string, schema: Schema, isSent: boolean): NamedType => ({
  name,
  docs: comment(schema.description, ""),
  fields: schema.properties ? fieldsOf(schema, isSent, "  ") : null,
  type: schema.properties ? "" : typeOf(schema, isSent, ""),
});

/** The type that has the most of the fields of `type`, and no others. Of two alike, the first is the base. */
function baseOf(type: NamedType, types: readonly NamedType[]): NamedType | undefined {
  const size = ({ fields }: NamedType) => fields?.length ?? 0;
  const isBase = (one: NamedType) =>
    size(one) >= MIN_BASE_FIELDS &&
    (size(one) < size(type) || one.name < type.name) &&
    one.fields?.every((field) => type.fields?.includes(field));
  return types.filter(isBase).toSorted((a, b) => size(b) - size(a))[0];
}

function declaration({ name, docs, fields, type }: NamedType, base: NamedType | undefined): string {
  if (!fields) return `${docs}export type ${name} = ${type};\n`;
  const own = fields.filter((field) => !base?.fields?.includes(field));
  if (base && own.length === 0) return `${docs}export type ${name} = ${base.name};\n`;
  return `${docs}export interface ${name} ${base ? `extends ${base.name} ` : ""}{\n${own.join("")}}\n`;
}

/** The type of a value. In requests a time is a plain string, because any offset will do. */
function typeOf(schema: Schema, isSent: boolean, indent: string): string {
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, isSent, indent)));
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, isSent, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" && !isSent ? "Timestamp" : "string";
    case "integer":
      return "number";
    case "array":
      return `(${typeOf(schema.items ?? {}, isSent, indent)})[]`;
    case "object":
      return objectType(schema, isSent, indent);
    default:
      return schema.type ?? "unknown";
  }
}

/** Values that a string can have are left out beside `string`. */
function union(types: string[]): string {
  const distinct = [...new Set(types)];
  return distinct.filter((type) => !type.startsWith('"') || !distinct.includes("string")).join(" | ");
}

function objectType(schema: Schema, isSent: boolean, indent: string): string {
  const { properties, additionalProperties: others } = schema;
  if (!properties) return `Record<string, ${typeof others === "object" ? typeOf(others, isSent, indent) : "unknown"}>`;
  return `{\n${fieldsOf(schema, isSent, `${indent}  `).join("")}${indent}}`;
}

/** The declarations of an object's properties. */
const fieldsOf = ({ properties = {}, required = [] }: Schema, isSent: boolean, indent: string): string[] =>
  Object.entries(properties).map(([name, field]) => {
    const type = typeOf(field, isSent, indent);
    const [mark, end] = required.includes(name) ? ["", ""] : ["?", " | undefined"];
    return `${comment(describe(field, isSent), indent)}${indent}${name}${mark}: ${type}${end};\n`;
  });

/**
 * The description of a field, with its default and with what a time that is sent may look like. A field that can be
 * null has the description of its value.
 */
function describe(schema: Schema, isSent: boolean): string | undefined {
  const { description, anyOf = [] } = schema;
  const isTime = [schema, ...anyOf].some(({ format }) => format === "date-time");
  const sentences = [
    description ?? anyOf.find((one) => one.description)?.description,
    isSent && isTime && "ISO 8601 with any offset.",
    "default" in schema && `By default \`${JSON.stringify(schema.default)}\`.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** A docstring of lines that fit; empty without a text. */
function comment(text: string | undefined, indent: string): string {
  if (!text) return "";
  const line = `${indent}/** ${text} */`;
  if (line.length <= MAX_COLUMNS) return `${line}\n`;
  const lines = wrapped(text, MAX_COLUMNS - indent.length - " * ".length);
  return `${indent}/**\n${lines.map((words) => `${indent} * ${words}\n`).join("")}${indent} */\n`;
}

function wrapped(text: string, maxColumns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > maxColumns) {
      lines.push(line);
      line = "";
    }
    line += line ? ` ${word}` : word;
  }
  return [...lines, line];
}
