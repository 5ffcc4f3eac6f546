/** Writes the types of postern/client from the OpenAPI document: one for each schema, documented by its description. */
import { QUERIES } from "./names.ts";
import { endpointsOf, type OpenApi, type Schema } from "./openapi.ts";
import { isOfCalls, querySchema } from "./queries.ts";
import { comment, fieldsOf, typeOf } from "./type-text.ts";

/** Bodies that the client makes from the arguments of its methods, and what it does not call. */
const UNPUBLISHED: ReadonlySet<string> = new Set([
  "CodeRequest",
  "EmailVerification",
  "FactorCode",
  "Failure",
  "InvitationAcceptance",
  "EventBatchInput",
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
export function clientTypes(document: OpenApi): string {
  const { schemas } = document.components;
  const sent = sentSchemas(document);
  const published = Object.entries(schemas).filter(([id]) => !UNPUBLISHED.has(id));
  const undescribed = published.filter(([, { description }]) => !description).map(([id]) => id);
  if (undescribed.length > 0) throw new Error(`schemas without a description: ${undescribed.join(", ")}`);
  const queries = Object.keys(QUERIES).filter((name) => !isOfCalls(name));
  const types = [
    ...published.map(([id, schema]) => typeNamed(id, schema, sent.has(id))),
    ...queries.map((name) => typeNamed(name, querySchema(document, name), true)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [HEADER, ...types.map((type) => declaration(type, baseOf(type, types)))].join("\n");
}

/** The ids of the schemas that requests contain. */
function sentSchemas(document: OpenApi): Set<string> {
  const sent = new Set<string>();
  const visit = (schema: unknown) => {
    for (const [, id = ""] of JSON.stringify(schema ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (sent.has(id)) continue;
      sent.add(id);
      visit(document.components.schemas[id]);
    }
  };
  for (const { requestBody } of endpointsOf(document)) visit(requestBody);
  return sent;
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
  docs: comment([schema.description]),
  fields: schema.properties ? fieldsOf(schema, isSent, "  ") : null,
  type: schema.properties ? "" : typeOf(schema, isSent),
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
