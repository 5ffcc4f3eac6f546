/** Turns the documentation of one route into an OpenAPI operation. */
import * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import type { ErrorCode } from "../../base/errors";
import type { RouteDocs, Success } from "../../base/http/route-docs";
import { id } from "../../base/schemas/schemas";
import { mark } from "../figures";
import { failureResponses } from "./failures";
import { LIMIT_HEADERS, LOCATION_HEADER, REQUEST_ID_HEADER } from "./headers";

export interface DocumentedRoute {
  method: string;
  /** As OpenAPI writes it: `/api/v1/webhooks/{id}`. */
  path: string;
  /** What each of its middleware documents, in the order they run. */
  docs: RouteDocs[];
}

/** Errors of every operation. METHOD_NOT_ALLOWED is what its path answers to any other method. */
const EVERYWHERE: readonly ErrorCode[] = ["METHOD_NOT_ALLOWED", "INTERNAL_ERROR"];
/** Errors that only a request with a body can cause. */
const OF_BODIES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]);

const WITHOUT_BODY: Readonly<Record<string, ZodOpenApiResponseObject>> = {
  204: { description: "Success, without a body.", headers: REQUEST_ID_HEADER },
  304: { description: "What the request has is still right.", headers: REQUEST_ID_HEADER },
};

/** The OpenAPI operation of `route`. Its responses link to the operations in `routes` that take the id they return. */
export function operationOf(route: DocumentedRoute, routes: readonly DocumentedRoute[]): ZodOpenApiOperationObject {
  const docs = mergedDocs(route);
  const limit = docs.limit && {
    limit: mark("limit", docs.limit.rule),
    windowSeconds: mark("window", docs.limit.rule),
    per: docs.limit.per,
  };
  const successes = Object.entries(docs.successes ?? {}).map(([status, success]) => [
    status,
    WITHOUT_BODY[status] ?? successResponse(status, success, linksFrom(route, routes, success), limit !== undefined),
  ]);
  const header = docs.caller === "any" ? (docs.headers ?? z.object({})).extend(TENANT_HEADER) : docs.headers;
  const path = docs.path ?? pathParameters(route.path);
  return {
    operationId: docs.operationId ?? "",
    summary: docs.summary ?? "",
    description: [
      docs.description,
      docs.permission && `Permission: \`${docs.permission}\`.`,
      docs.scope && `Scope of the platform key: \`${docs.scope}\`.`,
      limit && `Limit: ${limit.limit} requests in ${limit.windowSeconds} seconds per ${limit.per}.`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    security: securityOf(docs),
    requestParams: {
      ...(path ? { path } : {}),
      ...(docs.query ? { query: docs.query } : {}),
      ...(header ? { header } : {}),
    },
    ...bodyOf(docs),
    responses: { ...Object.fromEntries(successes), ...failureResponses(docs.errors ?? [], limit !== undefined) },
    ...(docs.permission ? { "x-permission": docs.permission } : {}),
    ...(limit ? { "x-rate-limit": limit } : {}),
  };
}

/** A JSON value a line has no schema in OpenAPI. */
function bodyOf({ body, takesNdjson }: RouteDocs): Pick<ZodOpenApiOperationObject, "requestBody"> {
  const content = {
    ...(body ? { "application/json": { schema: body } } : {}),
    ...(takesNdjson ? { "application/x-ndjson": { schema: { type: "string" as const } } } : {}),
  };
  return Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } };
}

const TENANT_HEADER = {
  "Postern-Tenant": z
    .string()
    .optional()
    .meta({
      description:
        "The tenant in which a platform key acts, by id or as `ext:<externalId>`; required with a platform key. " +
        "Sessions and API keys may name their own.",
      examples: ["ext:customer-42"],
    }),
};

/** The operation id of a route; undefined for a route without `describeRoute`. */
export const operationIdOf = ({ docs }: DocumentedRoute) => docs.find((part) => part.operationId)?.operationId;

function mergedDocs({ method, docs }: DocumentedRoute): RouteDocs {
  const errors = new Set([...docs.flatMap((part) => part.errors ?? []), ...EVERYWHERE]);
  const bodiless = method === "GET";
  return {
    ...Object.assign({}, ...docs),
    errors: [...errors].filter((code) => !(bodiless && OF_BODIES.has(code))),
  };
}

/**
 * One entry per accepted credential. OpenAPI 3.1 lets the list of a bearer scheme name roles; ours names the
 * permission.
 */
function securityOf({ caller, permission, scope }: RouteDocs): Record<string, string[]>[] {
  const needs = permission ? [permission] : [];
  if (caller === undefined) return [];
  if (caller === "metrics") return [{ metricsToken: [] }];
  if (caller === "session") return [{ accessToken: needs }];
  if (caller === "platform") return [{ platformKeyBearer: scope ? [scope] : [] }];
  return [{ accessToken: needs }, { apiKeyBearer: needs }, { apiKeyHeader: needs }, { platformKeyBearer: [] }];
}

function pathParameters(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, id])));
}

function successResponse(
  status: string,
  { body, mediaType = "application/json", orText }: Success,
  links: Links | undefined,
  limited: boolean,
): ZodOpenApiResponseObject {
  return {
    description: textOf(status, body !== undefined),
    headers: {
      ...REQUEST_ID_HEADER,
      ...(status.startsWith("3") ? LOCATION_HEADER : {}),
      ...(limited ? LIMIT_HEADERS : {}),
    },
    ...(body
      ? { content: { ...byMediaType(mediaType, body), ...(orText ? byMediaType("text/plain", TEXT) : {}) } }
      : {}),
    ...(links ? { links } : {}),
  };
}

function textOf(status: string, hasBody: boolean): string {
  if (status.startsWith("3")) return "A redirect.";
  if (status.startsWith("4")) return "A refusal.";
  return hasBody ? "Success." : "Success, without a body.";
}

const TEXT = z.string();

const byMediaType = (types: string | readonly string[], schema: z.ZodType) =>
  Object.fromEntries([types].flat().map((type) => [type, { schema }]));

type Links = NonNullable<ZodOpenApiResponseObject["links"]>;

/** Links from a response that contains an id to every operation that takes it. */
function linksFrom(route: DocumentedRoute, routes: readonly DocumentedRoute[], { id }: Success): Links | undefined {
  if (!id) return undefined;
  const children = routes.filter(({ path }) => path.startsWith(`${route.path}/{`));
  return Object.fromEntries(
    children.map((child) => {
      const operationId = operationIdOf(child) ?? "";
      const parameter = child.path.match(/\{(\w+)\}/)?.[1] ?? "";
      return [operationId, { operationId, parameters: { [parameter]: `$response.body#${id}` } }];
    }),
  );
}
