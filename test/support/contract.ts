/** Checks every response that a test gets by the OpenAPI document that the service serves. */
import { exports } from "cloudflare:workers";
import { type Schema, Validator } from "@cfworker/json-schema";

interface Header {
  $ref?: string;
  required?: boolean;
}
interface Response {
  $ref?: string;
  headers?: Record<string, Header>;
  content?: Record<string, { schema: Schema }>;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}
export interface OpenApiDocument {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response>; headers: Record<string, Header>; schemas: Record<string, Schema> };
}

/** The response of a path that no operation serves. */
const UNROUTED: Response = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
const UNROUTED_STATUSES = [404, 405, 413, 415];

let loading: Promise<OpenApiDocument> | undefined;
const validators = new Map<Schema, Validator>();

/** The document, read once per test file. */
export function openApi(): Promise<OpenApiDocument> {
  loading ??= exports.default
    .fetch("http://postern.test/api/v1/openapi.json")
    .then((response) => response.json() as Promise<OpenApiDocument>);
  return loading;
}

/** Throws, naming what is wrong, when the document does not allow this response. */
export async function expectDocumented(request: Request, answer: { status: number; headers: Headers; body: unknown }) {
  const document = await openApi();
  const { pathname } = new URL(request.url);
  const operation = findOperation(document, request.method, pathname);
  const where = `${request.method} ${pathname} answered ${answer.status}, which the document`;
  const promised = operation?.responses[answer.status] ?? (UNROUTED_STATUSES.includes(answer.status) && UNROUTED);
  if (!promised || (operation && promised === UNROUTED)) throw new Error(`${where} does not name`);
  const response = promised.$ref ? resolve(document.components.responses, promised.$ref) : promised;
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const { required } = header.$ref ? resolve(document.components.headers, header.$ref) : header;
    if (required && !answer.headers.has(name)) throw new Error(`${where} gives the header ${name}`);
  }
  if (!response.content) return;
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const schema = response.content?.[type]?.schema;
  if (!schema) throw new Error(`${where} does not give as ${type}`);
  const { valid, errors } = validatorOf(schema, document).validate(answer.body);
  if (!valid) throw new Error(`${where} shapes otherwise: ${JSON.stringify(errors)}`);
}

function findOperation(document: OpenApiDocument, method: string, pathname: string): Operation | undefined {
  const segments = pathname.split("/");
  const fits = (path: string) => {
    const wanted = path.split("/");
    return (
      wanted.length === segments.length &&
      wanted.every((part, index) => (part.startsWith("{") ? segments[index] !== "" : part === segments[index]))
    );
  };
  const paths = Object.keys(document.paths).filter(fits);
  const literal = paths.find((path) => !path.includes("{")) ?? paths[0];
  return literal === undefined ? undefined : document.paths[literal]?.[method.toLowerCase()];
}

function resolve<T>(components: Record<string, T>, ref: string): T {
  const found = components[ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`the document lacks ${ref}`);
  return found;
}

function validatorOf(schema: Schema, { components }: OpenApiDocument): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    const { schemas } = components;
    validator = new Validator({ ...schema, components: { schemas } } as Schema, "2020-12", false);
    validators.set(schema, validator);
  }
  return validator;
}
