/** Small OpenAPI documents, for the generator of postern/client. */
import { QUERIES } from "../../.scripts/client/names.ts";
import type { OpenApi, Operation, Schema } from "../../.scripts/client/openapi.ts";

export const operation = (operationId: string, fields: Partial<Operation> = {}): Operation => ({
  operationId,
  summary: "Does something.",
  responses: {},
  ...fields,
});

const LIMIT = [{ in: "query", name: "limit", schema: { type: "integer", default: 50 } }];

/** A document with these paths, and with the operations that the generator knows the query strings of. */
export const documentOf = (paths: OpenApi["paths"], schemas: Record<string, Schema>): OpenApi => ({
  paths: {
    ...Object.fromEntries(
      Object.values(QUERIES)
        .flatMap(({ of }) => of)
        .map((id) => [`/${id}`, { get: operation(id, { parameters: LIMIT }) }]),
    ),
    ...paths,
  },
  components: { schemas },
});
