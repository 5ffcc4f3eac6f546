/** Checks every response that a test gets by the OpenAPI document that the service serves. */
import { exports } from "cloudflare:workers";
import { dereference, type Schema, validate } from "@cfworker/json-schema";

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
const UNROUTED: Response = { content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } } };
const UNROUTED_STATUSES = [404, 405, 413, 415];

let loading: Promise<OpenApiDocument> | undefined;

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
  const { valid, errors } = validate(answer.body, schema, "2020-12", schemasWith(schema, document), false);
  if (!valid) throw new Error(`${where} shapes otherwise: ${JSON.stringify(errors)}`);
}

/** The paths of the document by their number of segments. */
let paths: Map<number, { path: string; wanted: string[] }[]> | undefined;

function findOperation(document: OpenApiDocument, method: string, pathname: string): Operation | undefined {
  paths ??= Map.groupBy(
    Object.keys(document.paths).map((path) => ({ path, wanted: path.split("/") })),
    ({ wanted }) => wanted.length,
  );
  const segments = pathname.split("/");
  const fitting = paths
    .get(segments.length)
    ?.filter(({ wanted }) =>
      wanted.every((part, index) => (part.startsWith("{") ? segments[index] !== "" : part === segments[index])),
    );
  const { path } = fitting?.find(({ path }) => !path.includes("{")) ?? fitting?.[0] ?? {};
  return path === undefined ? undefined : document.paths[path]?.[method.toLowerCase()];
}

function resolve<T>(components: Record<string, T>, ref: string): T {
  const found = components[ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`the document lacks ${ref}`);
  return found;
}

/** The schemas of the document by their address. They take longer to find than most answers to check. */
let schemas: Record<string, Schema | boolean> | undefined;
const found = new Set<Schema>();

/** The schemas of the document, and those inside the given one. */
function schemasWith(schema: Schema, { components }: OpenApiDocument): Record<string, Schema | boolean> {
  schemas ??= dereference({ components: { schemas: components.schemas } } as Schema);
  if (!found.has(schema)) {
    found.add(schema);
    dereference(schema, schemas, undefined, `/responses/${found.size}`);
  }
  return schemas;
}
