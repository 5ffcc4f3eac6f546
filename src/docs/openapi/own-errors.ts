/** What goes wrong with an operation itself, apart from what any call can meet. */
import type { Hono } from "hono";
import type { ErrorCode } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { docsOf } from "../../base/http/route-docs";
import { describedRoutes } from "./document";
import { operationIdOf } from "./operation";

/** The errors of each operation, by its id, without those of the middleware that checks credentials. */
export function ownErrors(app: Hono<AppEnv>, credentialCheck: object): Record<string, ErrorCode[]> {
  const ofCredentials = docsOf(credentialCheck);
  return Object.fromEntries(
    describedRoutes(app).map((route) => {
      const codes = route.docs.flatMap((part) => (part === ofCredentials ? [] : (part.errors ?? [])));
      return [operationIdOf(route) ?? "", [...new Set(codes)]];
    }),
  );
}
