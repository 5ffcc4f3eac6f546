/** Who calls: a bearer access token or an API key, in one D1 round trip. Routes below are closed unless they say what they need. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { authenticateApiKey } from "../api-keys/authenticate";
import { AppError } from "../errors";
import { authenticateSession } from "../sessions/authenticate";
import type { Permission, Principal } from "../tenants/roles";
import { noted } from "./describe";
import type { AppEnv } from "./env";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+)$/i;
const MAX_CREDENTIAL_CHARACTERS = 4096;

/** 401 unless the caller proves who they are. A path that no route serves passes on to its 404. */
export const requirePrincipal = noted(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!servesRequest(c)) return next();
    const principal = await identify(c);
    if (!principal) throw new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    c.set("principal", principal);
    await next();
  }),
  { caller: "any", errors: ["UNAUTHENTICATED"] },
);

/** 403 unless the caller's role, and the API key's scopes, hold `permission`. */
export function can(permission: Permission) {
  const check = createMiddleware<AppEnv>(async (c, next) => {
    if (!c.get("principal").permissions.has(permission)) throw new AppError("FORBIDDEN");
    await next();
  });
  return noted(check, { permission, errors: ["FORBIDDEN"] });
}

/** 401 for an API key: the route is for a person with a session. A path that no route serves passes on, without a principal. */
export const sessionOnly = noted(
  createMiddleware<AppEnv>(async (c, next) => {
    if (servesRequest(c) && c.get("principal").kind !== "session") {
      throw new AppError("UNAUTHENTICATED", { message: "API keys are not accepted here." });
    }
    await next();
  }),
  { caller: "session" },
);

function servesRequest(c: Context<AppEnv>): boolean {
  return matchedRoutes(c).some((route) => route.method !== "ALL");
}

async function identify(c: Context<AppEnv>): Promise<Principal | null> {
  const deps = c.get("deps");
  const credential = c.req.header("x-api-key") ?? c.req.header("authorization")?.match(BEARER)?.[1];
  if (!credential || credential.length > MAX_CREDENTIAL_CHARACTERS) return null;
  if (credential.startsWith("ak_")) return authenticateApiKey(deps, credential);
  if (c.req.header("x-api-key")) return null;
  return authenticateSession(deps, credential);
}
