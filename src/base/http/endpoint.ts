/** An operation with its place in the API, in one declaration, and the routes that serve it. */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { H } from "hono/types";
import type { ErrorCode } from "../errors";
import type { Operation } from "../operation";
import type { AppEnv } from "./env";
import { serve } from "./operation";
import { type Answers, describeRoute } from "./route-docs";

export interface Endpoint<Input, Result, Sent = unknown> extends Operation<Input, Result, Sent> {
  /** Its operation id in the OpenAPI document. */
  id: string;
  summary: string;
  /** Markdown. */
  description?: string;
  /** Those that only the verb throws. */
  errors?: readonly ErrorCode[];
  /** Successes by status, and what the path, the query and the headers have. Made with the document alone. */
  answers?(): Answers;
  /** Whether the query has the input, as that of every GET. */
  takesQuery?: true;
  /** Runs before the checks of the operation. */
  first?: MiddlewareHandler<AppEnv>;
  /** Sends what the verb has returned. */
  answer(c: Context<AppEnv>, result: NoInfer<Result>, input: NoInfer<Input>): Response | Promise<Response>;
}

/** Returns the endpoint; it only infers the types of its input and its result. */
export const endpoint = <Input, Result, Sent>(
  definition: Endpoint<Input, Result, Sent>,
): Endpoint<Input, Result, Sent> => definition;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The router of these endpoints, by method and path. Of several that match a request, the first one serves it. */
export function routes(table: Readonly<Record<`${Method} /${string}`, Endpoint<unknown, unknown>>>): Hono<AppEnv> {
  const router = new Hono<AppEnv>();
  for (const [route, served] of Object.entries(table)) {
    const [method = "", path = ""] = route.split(" ");
    const from = method === "GET" || served.takesQuery ? "query" : "json";
    router.on(method, [path], ...(handlersOf(served, from) as unknown as H<AppEnv>[]));
  }
  return router;
}

function handlersOf(served: Endpoint<unknown, unknown>, from: "query" | "json") {
  const { id, summary, description, errors, answers, first, answer } = served;
  const describe = () => ({
    ...answers?.(),
    ...(description === undefined ? {} : { description }),
    ...(errors === undefined ? {} : { errors }),
  });
  return [describeRoute(id, summary, describe), ...(first ? [first] : []), ...serve(served, answer, from)];
}
