/** Authentication of API requests, with an access token or an API key, in one D1 round trip. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticateApiKey } from "./identity/api-keys/authenticate";
import { authenticateSession } from "./identity/sessions/authenticate";
import { AppError } from "./platform/errors";
import type { AppEnv } from "./platform/http/env";
import { isOpenWhenSuspended } from "./platform/http/operation";
import { originOf } from "./platform/http/origin";
import { servesRequest } from "./platform/http/permissions";
import { documented } from "./platform/http/route-docs";
import type { Principal } from "./platform/schemas/principal";
import { tenantSuspended } from "./tenancy/tenants/suspension";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+)$/i;
const MAX_CREDENTIAL_CHARACTERS = 4096;

/** 401 without a valid credential, 403 in a suspended tenant. A path without a route gets 404. */
export const requirePrincipal = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!servesRequest(c)) return next();
    const principal = await identify(c);
    if (!principal) throw new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    if (principal.isTenantSuspended && !isOpenWhenSuspended(c)) throw tenantSuspended();
    c.set("principal", principal);
    await next();
  }),
  { caller: "any", errors: ["UNAUTHENTICATED", "RATE_LIMITED", "FORBIDDEN"] },
);

async function identify(c: Context<AppEnv>): Promise<Principal | null> {
  const deps = c.get("deps");
  const credential = c.req.header("x-api-key") ?? c.req.header("authorization")?.match(BEARER)?.[1];
  if (!credential || credential.length > MAX_CREDENTIAL_CHARACTERS) return null;
  if (credential.startsWith("ak_")) return authenticateApiKey(deps, credential, c.get("clientIp"), originOf(c));
  if (c.req.header("x-api-key")) return null;
  return authenticateSession(deps, credential, originOf(c));
}
