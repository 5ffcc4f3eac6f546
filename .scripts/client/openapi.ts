/** The OpenAPI document, as far as scripts read it. */

/** What the generator of the client reads of a schema: JSON Schema 2020-12, as zod writes it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

type Content = Record<string, { schema: Schema }>;

export interface Parameter {
  in: string;
  name: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  /** Empty: no credential is needed. */
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  /** By status. Failures are references. */
  responses: Record<string, { content?: Content }>;
  "x-permission"?: string;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation and where it is. */
export interface Endpoint extends Operation {
  method: string;
  /** Such as `/api/v1/sources/{id}`. */
  path: string;
}

/** All operations, in the order of the document. */
export const endpointsOf = ({ paths }: OpenApi): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** The id of the schema that a reference names. */
export const idOf = ({ $ref = "" }: Schema): string => $ref.replace("#/components/schemas/", "");
