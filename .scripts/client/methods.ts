/** Writes the methods of postern/client that are a request each: their interfaces, and what they send. */
import { QUERIES } from "./names.ts";
import type { Noun } from "./noun.ts";
import { NOUNS } from "./nouns.ts";
import { endpointsOf, type OpenApi } from "./openapi.ts";
import { lowerFirst, type Method, methodsOf } from "./operations.ts";
import { isOfCalls, querySchema } from "./queries.ts";
import { type Request, requestOf } from "./request.ts";
import { comment, fieldsOf } from "./type-text.ts";

const GENERATED =
  "Generated from the OpenAPI document by `npm run generate`: to change one, change its route, or its name in " +
  ".scripts/client.";

/** The codes of the errors that an operation itself has, by its id. */
export type OwnErrors = Readonly<Record<string, readonly string[]>>;

/** Those that any call may have, as `Client` says, and those of requests that the client never sends. */
const OF_ANY_CALL: ReadonlySet<string> = new Set([
  "INVALID_JSON",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMITED",
  "SERVICE_UNAVAILABLE",
  "UNAUTHENTICATED",
  "UNSUPPORTED_MEDIA_TYPE",
]);

/** Paragraphs of descriptions that the other parts of a docstring say, or that a client need not know. */
const LEFT_OUT = /^(Permission|Scope of the platform key|Limit): /;

/** Returns the module with the interfaces, not yet formatted. */
export function clientMethods(document: OpenApi, errors: OwnErrors): string {
  const options = Object.keys(QUERIES)
    .filter(isOfCalls)
    .map((name) => optionsType(document, name));
  const interfaces = nounsOf(document).map((noun) => interfaceOf(noun, errors));
  const body = [...options, ...interfaces].join("\n");
  return `${comment([`The methods that are a request each. ${GENERATED}`])}
import type { CallOptions } from "./call";
${importOf(body, document)}
import type { Listed, Paged } from "./pages";

${body}`;
}

/** Returns the module with what the methods send, not yet formatted. */
export function clientRequests(document: OpenApi): string {
  const nouns = nounsOf(document);
  return `${comment([`What each method sends. ${GENERATED}`])}
import type { Call } from "./call";
import type { ${nouns.map(({ name }) => name).toSorted()} } from "./generated-methods";
import { listed, paged } from "./pages";
import { query, segment } from "./path";

${nouns.map(mappingOf).join("\n")}`;
}

interface NounRequests extends Noun {
  /** Of the interface. */
  name: string;
  requests: readonly Request[];
}

const nounsOf = (document: OpenApi): NounRequests[] =>
  [...methodsOf(endpointsOf(document))].map(([file, methods]) => {
    const noun = NOUNS[file] as Noun;
    const name = `${noun.type}${noun.about === undefined ? "Endpoints" : "Methods"}`;
    return { ...noun, name, requests: methods.map((method) => requestOf(method, document)) };
  });

function optionsType(document: OpenApi, name: string): string {
  const schema = querySchema(document, name);
  const fields = fieldsOf(schema, true, "  ").join("");
  return `${comment([schema.description])}export interface ${name} extends CallOptions {\n${fields}}\n`;
}

/** Imports the types that the code below names and does not declare. */
function importOf(body: string, document: OpenApi): string {
  const types = [...Object.keys(document.components.schemas), ...Object.keys(QUERIES)];
  const code = body.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const isDeclared = (name: string) => code.includes(`export interface ${name} `);
  return `import type { ${types.filter((name) => isNamed(name) && !isDeclared(name)).toSorted()} } from "./generated";`;
}

function interfaceOf({ type, name, about, example, requests }: NounRequests, errors: OwnErrors): string {
  const docs = comment([
    about ?? `What \`${type}Methods\` has for the endpoints that need nothing but a request.`,
    example && `@example${example}`,
  ]);
  const members = requests.map((request) => `${docsOf(request, errors)}  ${request.signature};\n`);
  return `${docs}export interface ${name} {\n${members.join("")}}\n`;
}

const mappingOf = ({ name, requests }: NounRequests): string =>
  `export const ${lowerFirst(name)} = (call: Call): ${name} => ({
${requests.map((request) => `  ${request.name}: ${request.code},\n`).join("")}});
`;

/** The docstring of a method: what the route says of itself, and its errors. */
function docsOf({ endpoint, takesInput }: Request, errors: OwnErrors): string {
  const { operationId, summary, description = "" } = endpoint;
  const own = errors[operationId];
  if (!own) throw new Error(`the errors of ${operationId} are not known`);
  const thrown = own
    .filter((code) => !OF_ANY_CALL.has(code) && (takesInput || code !== "VALIDATION_FAILED"))
    .toSorted()
    .map((code) => (code === "FORBIDDEN" ? `${code}${withoutWhat(endpoint)}` : code));
  const throws = `Throws ${thrown.join(", ") || "what any call throws"}.`;
  const details = description.split("\n\n").filter((paragraph) => paragraph !== "" && !LEFT_OUT.test(paragraph));
  return comment(details.length === 0 ? [`${summary} ${throws}`] : [summary, ...details, throws], "  ");
}

/** What a caller may lack. */
function withoutWhat({ security = [], "x-permission": permission }: Method["endpoint"]): string {
  const scope = security.flatMap(({ platformKey = [] }) => platformKey)[0];
  if (permission) return ` without \`${permission}\``;
  return scope ? ` without the scope \`${scope}\`` : "";
}
