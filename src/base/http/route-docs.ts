/**
 * What the OpenAPI document says about a route is attached to the middleware that enforces it, so the two cannot drift
 * apart.
 */
import { createMiddleware } from "hono/factory";
import type { ZodObject, ZodType } from "zod";
import type { ErrorCode } from "../errors";
import type { RuleName } from "../limits/rules";
import type { Access } from "../operation";
import type { PlatformScope } from "../schemas/platform-scopes";
import type { Permission } from "../schemas/roles";
import type { AppEnv } from "./env";

/** A successful response. */
export interface Success {
  /** Missing for a redirect. */
  body?: ZodType;
  /** `application/json` when absent; a list where the request chooses. */
  mediaType?: string | readonly string[];
  /** Whether the answer may be plain text instead. */
  orText?: true;
  /** JSON pointer to the id in the body that the other routes of this resource take. */
  id?: string;
}

/** The part of a route's documentation that one middleware contributes. */
export interface RouteDocs {
  operationId?: string;
  summary?: string;
  description?: string;
  successes?: Record<number, Success>;
  /** Each code implies its status. */
  errors?: readonly ErrorCode[];
  body?: ZodType;
  /** Whether the body is, or may be, a JSON value a line. */
  takesNdjson?: true;
  /** Parameters of the path that are not ids. */
  path?: ZodObject;
  query?: ZodObject;
  headers?: ZodObject;
  permission?: Permission;
  /**
   * Accepted credentials: a session, an API key or a platform key that names the tenant (`any`), a session only, a
   * platform key only, or the token of `/metrics`.
   */
  caller?: "any" | "session" | "platform" | "metrics";
  /** What a platform key must be allowed to do. */
  scope?: PlatformScope;
  limit?: { rule: RuleName; per: string };
  /** What the operation requires that the route serves. */
  access?: Access;
  /** Whether the handler performs an operation. */
  performs?: true;
  /** Whether the handler checks that the session is confirmed. */
  confirms?: true;
  /** The rest, which is made with the OpenAPI document: each schema would take time whenever a Worker starts. */
  rest?: () => RouteDocs;
}

const docsByMiddleware = new WeakMap<object, RouteDocs>();

/** Attaches `docs` to a middleware and returns the middleware. */
export function documented<M extends object>(middleware: M, docs: RouteDocs): M {
  docsByMiddleware.set(middleware, docs);
  return middleware;
}

/** The documentation attached to a middleware, if any. */
export const docsOf = (middleware: object): RouteDocs | undefined => docsByMiddleware.get(middleware);

/** The successes of a route by status, and what its request has besides the body. */
export type Answers = Pick<RouteDocs, "path" | "query" | "headers"> & Record<number, ZodType | Success>;

type Description = Answers & Pick<RouteDocs, "description" | "errors">;

/**
 * Documents a route: its operation id, a summary, its successes by status, and the errors that only its handler raises.
 */
export function describeRoute(operationId: string, summary: string, describe: () => Description = () => ({})) {
  const passThrough = createMiddleware<AppEnv>((_c, next) => next());
  return documented(passThrough, { operationId, summary, rest: () => restOf(describe()) });
}

function restOf({ description, errors, path, query, headers, ...byStatus }: Description): RouteDocs {
  const successes = Object.fromEntries(
    Object.entries(byStatus).map(([status, success]) => [status, "_zod" in success ? { body: success } : success]),
  );
  return {
    successes,
    ...(description ? { description } : {}),
    ...(errors ? { errors } : {}),
    ...(path ? { path } : {}),
    ...(query ? { query } : {}),
    ...(headers ? { headers } : {}),
  };
}
