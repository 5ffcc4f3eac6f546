/** One method: its arguments, what it sends and what it returns. */
import { ARGUMENTS, NOT_EMPTY, NUMBERS, SPREAD } from "./names.ts";
import { type Endpoint, idOf, type OpenApi, type Schema } from "./openapi.ts";
import type { Method } from "./operations.ts";
import { fieldsOfQuery, isOfCalls, queryOf } from "./queries.ts";
import { typeOf } from "./type-text.ts";

const JSON_TYPE = "application/json";

/** The code of a method. */
export interface Request {
  name: string;
  endpoint: Endpoint;
  /** As the interface has it: `get(id: string, options?: CallOptions): Promise<Source>`. */
  signature: string;
  /** The function. */
  code: string;
  /** Whether it sends more than a path, so that the service may find something wrong with it. */
  takesInput: boolean;
}

interface Argument {
  name: string;
  type: string;
  /** What stands for it in the function; its name unless given. */
  pattern?: string;
  isOptional?: boolean;
}

export function requestOf({ name, endpoint }: Method, document: OpenApi): Request {
  const path = pathArguments(endpoint);
  const query = queryOfRequest(endpoint);
  const body = bodyOf(endpoint, document);
  const success = successOf(endpoint);
  const args = [...path, ...query.arguments, ...body.arguments, query.options];
  const sent = [
    "...options",
    ...body.fields,
    ...(endpoint.security?.length === 0 ? ['as: "nobody"'] : []),
    ...(success.isFile ? ["isFile: true"] : []),
  ];
  const options = sent.length === 1 ? "options" : `{ ${sent.join(", ")} }`;
  const route = routeOf(endpoint, path);
  const call = (cursor: string) => `call.${success.part}(${quoted(`${route}${query.text(cursor)}`)}, ${options})`;
  const code =
    success.list === "paged"
      ? `paged((cursor) => ${call("cursor")}, ${query.cursor})`
      : success.list === "listed"
        ? `listed(${call("")})`
        : call("");
  return {
    name,
    endpoint,
    signature: `${name}(${args.map(declared).join(", ")}): ${success.type}`,
    code: `(${args.map(({ name: arg, pattern = arg }) => pattern).join(", ")}) => ${code}`,
    takesInput: body.fields.length > 0 || fieldsOfQuery(endpoint).length > 0,
  };
}

const declared = ({ name, type, isOptional }: Argument) => `${name}${isOptional ? "?" : ""}: ${type}`;

const argumentOf = ({ operationId }: Endpoint, name: string) => ARGUMENTS[`${operationId} ${name}`] ?? name;

const parametersOf = ({ path }: Endpoint) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

function pathArguments(endpoint: Endpoint): Argument[] {
  const { operationId, parameters = [] } = endpoint;
  return parametersOf(endpoint).map((name) => {
    const schema = parameters.find((one) => one.in === "path" && one.name === name)?.schema;
    const isNumber = schema?.type === "integer" || NUMBERS.has(`${operationId} ${name}`);
    return { name: argumentOf(endpoint, name), type: isNumber ? "number" : "string" };
  });
}

/** `METHOD /path`, below `/api/v1`, with the arguments in place of the parameters. */
function routeOf({ method, path }: Endpoint, args: readonly Argument[]): string {
  const values = args.map(({ name, type }) => `\${segment(${type === "number" ? `String(${name})` : name})}`);
  return `${method} ${path.replace("/api/v1", "").replaceAll(/\{\w+\}/g, () => values.shift() ?? "")}`;
}

const quoted = (text: string) => (text.includes("${") ? `\`${text}\`` : JSON.stringify(text));

/** The arguments that become the query string: one with all fields, fields of the options, or each for itself. */
function queryOfRequest(endpoint: Endpoint) {
  const plain: Argument = { name: "options", type: "CallOptions", isOptional: true };
  const type = queryOf(endpoint);
  const fields = fieldsOfQuery(endpoint);
  const names = fields.filter((field) => field.in === "query").map(({ name }) => name);
  const ask = (list: string) => (list === "" ? "" : `\${query({ ${list} })}`);
  if (type === undefined) {
    const required = fields.filter((field) => field.in === "query" && field.required).map(({ name }) => name);
    if (endpoint.method === "GET" && required.length < names.length)
      throw new Error(`${endpoint.operationId}: name the type of its query string in QUERIES`);
    const args = required.map((name): Argument => ({ name, type: "string" }));
    return { arguments: args, options: plain, cursor: "undefined", text: () => ask(required.join(", ")) };
  }
  if (!isOfCalls(type)) {
    const filter: Argument = { name: "filter", type, isOptional: true };
    const text = (cursor: string) => ask(["...filter", cursor].filter(Boolean).join(", "));
    return { arguments: [filter], options: plain, cursor: "filter?.cursor", text };
  }
  const taken = names.map((name) => (name === "cursor" && isPaged(endpoint) ? "cursor: from" : name));
  const pattern = names.length === 0 ? "options" : `{ ${taken.join(", ")}, ...options } = {}`;
  const options: Argument = { name: "options", type, pattern, isOptional: true };
  return { arguments: [], options, cursor: "from", text: () => ask(names.join(", ")) };
}

/** The arguments that become the body, and the members of the request for it. */
function bodyOf(endpoint: Endpoint, document: OpenApi): { arguments: Argument[]; fields: string[] } {
  const { requestBody, method } = endpoint;
  if (!requestBody) return { arguments: [], fields: [] };
  const json = requestBody.content[JSON_TYPE]?.schema;
  if (!json) return { arguments: [{ name: "people", type: "string" }], fields: ["ndjson: people"] };
  const id = idOf(json);
  const schema = document.components.schemas[id];
  if (!schema) throw new Error(`${endpoint.operationId}: the schema of its body has no name`);
  if (SPREAD.has(id)) return spread(endpoint, schema);
  const isOptional = method !== "PATCH" && schema.properties && !schema.required?.length && !NOT_EMPTY.has(id);
  return {
    arguments: [{ name: "body", type: id, ...(isOptional ? { isOptional, pattern: "body = {}" } : {}) }],
    fields: ["body"],
  };
}

function spread(endpoint: Endpoint, { required = [], properties = {} }: Schema) {
  const fields = required.map((field) => ({
    field,
    name: argumentOf(endpoint, field),
    schema: properties[field] ?? {},
  }));
  const sent = fields.map(({ field, name }) => (field === name ? name : `${field}: ${name}`));
  return {
    arguments: fields.map(({ name, schema }): Argument => {
      const type = typeOf(schema, true);
      return { name, type: schema.type === "array" ? `readonly ${type}` : type };
    }),
    fields: [`body: { ${sent.join(", ")} }`],
  };
}

/** What of the answer a method returns, and its type. */
interface Success {
  part: "data" | "message" | "answer";
  list?: "listed" | "paged";
  isFile?: boolean;
  type: string;
}

function successOf(endpoint: Endpoint): Success {
  const answer = answerOf(endpoint);
  if (answer === null) return { part: "data", isFile: true, type: "Promise<string>" };
  if (answer.$ref) return { part: "answer", type: `Promise<${idOf(answer)}>` };
  const { data, message } = answer.properties ?? {};
  if (!data) {
    if (!message) throw new Error(`${endpoint.operationId}: an answer without data and message`);
    return { part: "message", type: "Promise<string>" };
  }
  const isList = endpoint.method === "GET" && data.type === "array";
  if (isList && isPaged(endpoint))
    return { part: "answer", list: "paged", type: `Paged<${typeOf(data.items ?? {}, false)}>` };
  if (isList) return { part: "data", list: "listed", type: `Listed<${typeOf(data.items ?? {}, false)}>` };
  return { part: "data", type: `Promise<${typeOf(data, false)}>` };
}

const isPaged = (endpoint: Endpoint) => answerOf(endpoint)?.required?.includes("nextCursor") === true;

/** The schema of the one answer that an operation has; null for a file. Throws if there are several. */
function answerOf({ operationId, responses }: Endpoint): Schema | null {
  const contents = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith("2") && content ? [content] : [],
  );
  const [content, ...others] = contents;
  if (!content || others.some((other) => JSON.stringify(other) !== JSON.stringify(content)))
    throw new Error(`${operationId}: write its method by hand, because it has not one answer`);
  const types = Object.keys(content);
  return types.length === 1 && types[0] === JSON_TYPE ? (content[JSON_TYPE]?.schema ?? null) : null;
}
