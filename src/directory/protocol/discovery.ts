/** What the server tells of itself (RFC 7644 section 4, RFC 7643 sections 5 to 7, RFC 9865 section 4). */
import type { Attribute, ResourceKind, ScimSchema } from "./attribute";
import { GROUP, USER } from "./kinds";
import { DEFAULT_COUNT, listView, MAX_COUNT } from "./list";

const URN = "urn:ietf:params:scim:schemas:core:2.0";
export const CURSOR_SECONDS = 600;

const metaOf = (resourceType: string, location: string) => ({ meta: { resourceType, location } });

/** `base` is the address of the connection's SCIM server. */
export const serviceProviderConfig = (base: string) => ({
  schemas: [`${URN}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: "index",
    defaultPageSize: DEFAULT_COUNT,
    maxPageSize: MAX_COUNT,
    cursorTimeout: CURSOR_SECONDS,
  },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token of the connection.",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  ...metaOf("ServiceProviderConfig", `${base}/ServiceProviderConfig`),
});

const KINDS = [USER, GROUP];
const SCHEMAS = KINDS.flatMap(({ core, extension }) => (extension ? [core, extension] : [core]));

const listOf = (resources: readonly object[]) => listView({ totalResults: resources.length, startIndex: 1, resources });

export const resourceTypesList = (base: string) => listOf(KINDS.map((kind) => resourceType(kind, base)));

/** Undefined for an unknown id. */
export function resourceTypeOf(id: string, base: string): object | undefined {
  const kind = KINDS.find(({ name }) => name === id);
  return kind && resourceType(kind, base);
}

const resourceType = ({ name, endpoint, core, extension }: ResourceKind, base: string) => ({
  schemas: [`${URN}:ResourceType`],
  id: name,
  name,
  description: core.description,
  endpoint,
  schema: core.id,
  schemaExtensions: extension ? [{ schema: extension.id, required: false }] : [],
  ...metaOf("ResourceType", `${base}/ResourceTypes/${name}`),
});

export const schemasList = (base: string) => listOf(SCHEMAS.map((schema) => schemaView(schema, base)));

/** Undefined for an unknown id. */
export function schemaOf(id: string, base: string): object | undefined {
  const schema = SCHEMAS.find((one) => one.id.toLowerCase() === id.toLowerCase());
  return schema && schemaView(schema, base);
}

const schemaView = ({ id, name, description, attributes }: ScimSchema, base: string) => ({
  schemas: [`${URN}:Schema`],
  id,
  name,
  description,
  attributes: attributes.map(attributeView),
  ...metaOf("Schema", `${base}/Schemas/${id}`),
});

const attributeView = (attribute: Attribute): object => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.type === "complex" && attribute.multiValued === true,
  description: attribute.description,
  required: attribute.required ?? false,
  caseExact: attribute.type !== "complex" && attribute.caseExact === true,
  mutability: attribute.mutability ?? "readWrite",
  returned: "default",
  uniqueness: attribute.uniqueness ?? "none",
  ...(attribute.type === "complex" && { subAttributes: attribute.members.map(attributeView) }),
  ...(attribute.type === "reference" && { referenceTypes: attribute.referenceTypes }),
  ...(attribute.type === "string" && { canonicalValues: attribute.canonicalValues }),
});
