/** The session of a portal or of a setup link, by its cookie, and the headers of its pages. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { NONCE } from "hono/secure-headers";
import { AppError, notFound } from "../../base/errors";
import { accessOf, isOpenTo } from "../../base/http/access";
import type { AppEnv } from "../../base/http/env";
import { refuseWriteWhenFull } from "../../base/http/full-database";
import { originOf } from "../../base/http/origin";
import { servesRequest } from "../../base/http/permissions";
import type { PortalPrincipal, SetupPrincipal } from "../../base/schemas/principal";
import { authenticatePortalSession } from "../../identity/portal/session";
import { authenticateSetup } from "../../sign-on/setup-links/session";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { getConsoleCookie, setConsoleCookie } from "./cookies";
import { isPortal, portalOf } from "./mount";
import { policyFor } from "./page-headers";

const ENDED =
  "Your access has ended, or this browser did not keep the cookie for it. Go back to where you came from, and open " +
  "the page again.";

/** Whoever has the session of a portal in this browser; null if nobody has. */
export async function portalHolder(c: Context<AppEnv>): Promise<PortalPrincipal | null> {
  const cookie = getConsoleCookie(c, "session");
  if (cookie === undefined) return null;
  return authenticatePortalSession(c.get("deps"), cookie, c.get("clientIp"), originOf(c));
}

/** 401 without a live session, 403 in a suspended tenant and for what is not open to portals. */
export const requirePortal = createMiddleware<AppEnv>(async (c, next) => {
  enter(c, await portalHolder(c));
  if (servesRequest(c) && !isOpenTo(accessOf(c), "portal")) throw new AppError("FORBIDDEN");
  await next();
});

/**
 * 401 without a live session, 403 in a suspended tenant, and 404 for what no setup link shows: the pages are the
 * console's, of which this finds those that a link may have.
 */
export const requireSetup = createMiddleware<AppEnv>(async (c, next) => {
  const cookie = getConsoleCookie(c, "session");
  const { deps, clientIp } = c.var;
  enter(c, cookie === undefined ? null : await authenticateSetup(deps, cookie, clientIp, originOf(c)));
  if (servesRequest(c) && accessOf(c).inSetup === undefined) throw notFound("Page");
  await next();
});

function enter(c: Context<AppEnv>, principal: PortalPrincipal | SetupPrincipal | null): void {
  if (!principal) throw new AppError("UNAUTHENTICATED", { message: ENDED });
  c.set("principal", principal);
  if (principal.isTenantSuspended) throw tenantSuspended();
  refuseWriteWhenFull(c, principal);
}

/** Keeps the session of a link that was opened. `expiresAt` is Unix ms. */
export function keepGuestSession(c: Context<AppEnv>, opened: { cookie: string; expiresAt: number }): void {
  setConsoleCookie(c, "session", opened.cookie, opened.expiresAt);
}

const done = async () => {};

/** Who may frame the pages, and from where they load a logo. Runs after the page, whose session names the logo. */
export const guestHeaders = createMiddleware<AppEnv>(async (c, next) => {
  NONCE(c, "scriptSrc");
  await next();
  const { brand, portalOrigins } = c.get("deps").config;
  const framedBy = isPortal(c) ? portalOrigins : [];
  const logoUrl = portalOf(c)?.theme?.logoUrl ?? brand.logoUrl;
  await policyFor({ hasCaptcha: false, logoUrl, framedBy })(c, done);
});
