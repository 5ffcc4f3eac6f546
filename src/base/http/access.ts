/** What the route that serves a request says of it: read before anybody is authenticated. */
import type { Context, Hono } from "hono";
import { matchedRoutes } from "hono/route";
import type { RouterRoute } from "hono/types";
import { findTargetHandler } from "hono/utils/handler";
import { notFound } from "../errors";
import { type Access, type Caller, callersOf } from "../operation";
import type { Principal } from "../schemas/principal";
import { PLATFORM_TENANT } from "../schemas/tenant-ref";
import type { AppEnv } from "./env";
import { apiKeyRefused, forbidden } from "./permissions";
import { docsOf } from "./route-docs";

/** What the route requires and opens; nothing where none serves the request. */
export const accessOf = (c: Context<AppEnv>): Access => ofFirst(matchedRoutes(c));

/** As `accessOf`; for a preflight, of the request that it announces. */
export function accessAnnounced(app: Hono<AppEnv>, c: Context<AppEnv>): Access {
  if (c.req.method !== "OPTIONS") return accessOf(c);
  const [matched] = app.router.match(c.req.header("access-control-request-method") ?? "", c.req.path);
  return ofFirst(matched.map(([[, route]]) => route));
}

/** Of several routes that match, such as `/members/me` and `/members/:userId`, the first one serves the request. */
function ofFirst(routes: readonly RouterRoute[]): Access {
  const first = routes.find(({ method }) => method !== "ALL");
  const own = routes.filter(({ method, path }) => method === first?.method && path === first.path);
  return own.flatMap(({ handler }) => docsOf(findTargetHandler(handler))?.access ?? [])[0] ?? {};
}

const callerOf = ({ feedId, kind }: Principal): Caller => (feedId === undefined ? kind : "feed-token");

/** Whether the route takes credentials of this kind. */
export const isOpenTo = (access: Access, caller: Caller): boolean => callersOf(access).includes(caller);

/**
 * Throws UNAUTHENTICATED for a key that the route does not take, FORBIDDEN for a platform key that it forbids, and
 * NOT_FOUND in the tenant of the platform, which has no members, for what only people do.
 */
export async function refuseOtherCallers(c: Context<AppEnv>, access: Access): Promise<void> {
  // The check of the scope answers each of the others.
  if (access.scope !== undefined) return;
  const principal = c.get("principal");
  const caller = callerOf(principal);
  const isInPlatform = principal.tenantId === PLATFORM_TENANT && c.get("tenantRefusal") === undefined;
  if (caller === "platform-key") {
    if (access.forbidsPlatformKeys !== undefined) throw await forbidden(c, access.forbidsPlatformKeys);
    if (access.permissionInPlatform !== undefined && !isInPlatform) throw apiKeyRefused();
  }
  if (!isOpenTo(access, caller)) throw apiKeyRefused();
  const isMissing = access.notInPlatform || !isOpenTo(access, "platform-key");
  if (principal.tenantId === PLATFORM_TENANT && isMissing) throw notFound("Tenant");
}
