/** What the OpenAPI document says of a route is noted on the middleware that does it, so that neither can go without the other. */
import { createMiddleware } from "hono/factory";
import type { ZodObject, ZodType } from "zod";
import type { ErrorCode } from "../errors";
import type { RuleName } from "../ratelimit/rules";
import type { Permission } from "../tenants/roles";
import type { AppEnv } from "./env";

/** A success: its body, and of what media type when that is not JSON. */
export interface Success {
  body: ZodType;
  mediaType?: string;
  /** Where in the body the id stands that this resource's other routes take (JSON pointer). */
  id?: string;
}

/** One middleware's share of what a route promises. */
export interface Note {
  operationId?: string;
  summary?: string;
  description?: string;
  successes?: Record<number, Success>;
  /** Failures by code; the status follows from it. */
  errors?: readonly ErrorCode[];
  body?: ZodType;
  query?: ZodObject;
  headers?: ZodObject;
  permission?: Permission;
  /** Whose credentials are taken: an API key's too, or a session's only. */
  caller?: "any" | "session";
  limit?: { rule: RuleName; per: string };
}

const notes = new WeakMap<object, Note>();

/** Notes what a middleware promises and returns it. */
export function noted<M extends object>(middleware: M, note: Note): M {
  notes.set(middleware, note);
  return middleware;
}

/** What was noted on a middleware. */
export const noteOn = (middleware: object): Note | undefined => notes.get(middleware);

type Description = Pick<Note, "description" | "errors" | "query" | "headers"> & Record<number, ZodType | Success>;

/** Describes a route: its operation id, one line, its successes by status, and the failures that no middleware before it tells of. */
export function describe(operationId: string, summary: string, description: Description) {
  const { description: text, errors, query, headers, ...byStatus } = description;
  const successes = Object.fromEntries(
    Object.entries(byStatus).map(([status, success]) => [status, "_zod" in success ? { body: success } : success]),
  );
  const pass = createMiddleware<AppEnv>((_c, next) => next());
  return noted(pass, {
    operationId,
    summary,
    successes,
    ...(text ? { description: text } : {}),
    ...(errors ? { errors } : {}),
    ...(query ? { query } : {}),
    ...(headers ? { headers } : {}),
  });
}
