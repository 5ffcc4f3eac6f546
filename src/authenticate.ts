/** Authentication of API requests, with an access token or an API key, in one D1 round trip. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticateApiKey } from "./api-keys/authenticate";
import { AppError } from "./errors";
import type { AppEnv } from "./http/env";
import { originOf } from "./http/origin";
import { servesRequest } from "./http/permissions";
import { documented } from "./http/route-docs";
import { authenticateSession } from "./sessions/authenticate";
import type { Principal } from "./tenants/principal";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+)$/i;
const MAX_CREDENTIAL_CHARACTERS = 4096;

/** 401 without a valid credential. A path that no route serves goes on to its 404. */
export const requirePrincipal = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!servesRequest(c)) return next();
    const principal = await identify(c);
    if (!principal) throw new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });
    c.set("principal", principal);
    await next();
  }),
  { caller: "any", errors: ["UNAUTHENTICATED", "RATE_LIMITED"] },
);

async function identify(c: Context<AppEnv>): Promise<Principal | null> {
  const deps = c.get("deps");
  const credential = c.req.header("x-api-key") ?? c.req.header("authorization")?.match(BEARER)?.[1];
  if (!credential || credential.length > MAX_CREDENTIAL_CHARACTERS) return null;
  if (credential.startsWith("ak_")) return authenticateApiKey(deps, credential, c.get("clientIp"), originOf(c));
  if (c.req.header("x-api-key")) return null;
  return authenticateSession(deps, credential, originOf(c));
}
