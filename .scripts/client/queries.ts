/** The types of query strings, which the document does not name. */
import { QUERIES } from "./names.ts";
import { type Endpoint, endpointsOf, type OpenApi, type Parameter, type Schema } from "./openapi.ts";

/** A parameter with more values than this is a string: later versions of the service have more of them. */
const MAX_LISTED_VALUES = 20;

/** Whether the type extends `CallOptions`. The options of a sign-in are those of an address, not of a call. */
export const isOfCalls = (name: string): boolean => name.endsWith("Options") && name !== "SignInOptions";

/** The name of the type of an operation's query string. */
export const queryOf = ({ operationId }: Endpoint): string | undefined =>
  Object.entries(QUERIES).find(([, { of }]) => of.includes(operationId))?.[0];

/** The parameters that a type has: those of the query string, and the idempotency key. */
export const fieldsOfQuery = ({ parameters = [] }: Endpoint): Parameter[] =>
  parameters.filter((parameter) => parameter.in === "query" || parameter.name === "Idempotency-Key");

/** The fields of the type. Throws if its operations differ. */
export function querySchema(document: OpenApi, name: string): Schema {
  const { of, does } = QUERIES[name] ?? { of: [], does: "" };
  const endpoints = endpointsOf(document).filter(({ operationId }) => of.includes(operationId));
  const [schema, ...others] = endpoints.map((endpoint) => schemaOf(fieldsOfQuery(endpoint)));
  if (!schema || endpoints.length !== of.length) throw new Error(`${name}: an operation is missing`);
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(schema)))
    throw new Error(`${name}: the operations take different parameters`);
  return { ...schema, description: does };
}

const schemaOf = (parameters: readonly Parameter[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name, description: text, schema }) => {
      const { enum: values = [], ...rest } = schema;
      const listed = values.length > MAX_LISTED_VALUES ? rest : schema;
      return [
        name === "Idempotency-Key" ? "idempotencyKey" : name,
        { ...listed, ...(text ? { description: text } : {}) },
      ];
    }),
  ),
});
