/** One route's notes, put together into an OpenAPI operation. */
import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import type { ErrorCode } from "../../errors";
import type { Note, Success } from "../../http/describe";
import type { Rule, RuleName } from "../../ratelimit/rules";
import { id } from "../../wire/schemas";
import { failureResponses } from "./failures";
import { LIMIT_HEADERS, REQUEST_ID_HEADER } from "./headers";

export interface DocumentedRoute {
  method: string;
  /** As OpenAPI writes it: `/api/v1/webhooks/{id}`. */
  path: string;
  /** Of its middleware, in the order of their work. */
  notes: Note[];
}

/** The first is the path's answer to any other method. */
const EVERYWHERE: readonly ErrorCode[] = ["METHOD_NOT_ALLOWED", "INTERNAL_ERROR"];
const OF_BODIES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]);

/** The operation of a route, whose siblings its answers link to. */
export function operationOf(
  route: DocumentedRoute,
  routes: readonly DocumentedRoute[],
  rules: Record<RuleName, Rule>,
): ZodOpenApiOperationObject {
  const note = mergedNote(route);
  const limit = note.limit && { ...rules[note.limit.rule], per: note.limit.per };
  const successes = Object.entries(note.successes ?? {}).map(([status, success]) => [
    status,
    successResponse(success, linksFrom(route, routes, success), limit !== undefined),
  ]);
  const path = pathParameters(route.path);
  return {
    operationId: note.operationId ?? "",
    summary: note.summary ?? "",
    description: [
      note.description,
      note.permission && `Permission: \`${note.permission}\`.`,
      limit && `Limit: ${limit.limit} requests in ${limit.windowSeconds} seconds per ${limit.per}.`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    security: securityOf(note),
    requestParams: {
      ...(path ? { path } : {}),
      ...(note.query ? { query: note.query } : {}),
      ...(note.headers ? { header: note.headers } : {}),
    },
    ...(note.body ? { requestBody: { required: true, content: { "application/json": { schema: note.body } } } } : {}),
    responses: { ...Object.fromEntries(successes), ...failureResponses(note.errors ?? [], limit !== undefined) },
    ...(note.permission ? { "x-permission": note.permission } : {}),
    ...(limit ? { "x-rate-limit": limit } : {}),
  };
}

/** The route's own name; undefined for one that is not described. */
export const operationIdOf = ({ notes }: DocumentedRoute) => notes.find((note) => note.operationId)?.operationId;

function mergedNote({ method, notes }: DocumentedRoute): Note {
  const errors = new Set([...notes.flatMap((note) => note.errors ?? []), ...EVERYWHERE]);
  const bodiless = method === "GET";
  return {
    ...Object.assign({}, ...notes),
    errors: [...errors].filter((code) => !(bodiless && OF_BODIES.has(code))),
  };
}

/** Scheme by scheme, with the permission in the place that OpenAPI 3.1 gives to roles. */
function securityOf({ caller, permission }: Note): Record<string, string[]>[] {
  const needs = permission ? [permission] : [];
  if (caller === undefined) return [];
  if (caller === "session") return [{ accessToken: needs }];
  return [{ accessToken: needs }, { apiKey: needs }, { apiKeyHeader: needs }];
}

function pathParameters(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, id])));
}

function successResponse(
  { body, mediaType = "application/json" }: Success,
  links: Links | undefined,
  limited: boolean,
): ZodOpenApiResponseObject {
  return {
    description: "Done.",
    headers: { ...REQUEST_ID_HEADER, ...(limited ? LIMIT_HEADERS : {}) },
    content: { [mediaType]: { schema: body } },
    ...(links ? { links } : {}),
  };
}

type Links = NonNullable<ZodOpenApiResponseObject["links"]>;

/** From an answer that holds an id to every route that takes it. */
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
