/** The session of a portal, by its cookie, and the headers of its pages. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { NONCE } from "hono/secure-headers";
import { AppError } from "../../base/errors";
import { accessOf, isOpenTo } from "../../base/http/access";
import type { AppEnv } from "../../base/http/env";
import { refuseWriteWhenFull } from "../../base/http/full-database";
import { originOf } from "../../base/http/origin";
import { servesRequest } from "../../base/http/permissions";
import type { PortalPrincipal } from "../../base/schemas/principal";
import { authenticatePortalSession } from "../../identity/portal/session";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { getConsoleCookie, setConsoleCookie } from "./cookies";
import { portalOf } from "./mount";
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
  const principal = await portalHolder(c);
  if (!principal) throw new AppError("UNAUTHENTICATED", { message: ENDED });
  c.set("principal", principal);
  if (principal.isTenantSuspended) throw tenantSuspended();
  if (servesRequest(c) && !isOpenTo(accessOf(c), "portal")) throw new AppError("FORBIDDEN");
  refuseWriteWhenFull(c, principal);
  await next();
});

/** Keeps the session of a link that was opened. `expiresAt` is Unix ms. */
export function keepPortalSession(c: Context<AppEnv>, opened: { cookie: string; expiresAt: number }): void {
  setConsoleCookie(c, "session", opened.cookie, opened.expiresAt);
}

const done = async () => {};

/** Who may frame the pages, and from where they load a logo. Runs after the page, whose session names the logo. */
export const portalHeaders = createMiddleware<AppEnv>(async (c, next) => {
  NONCE(c, "scriptSrc");
  await next();
  const { brand, portalOrigins } = c.get("deps").config;
  const logoUrl = portalOf(c)?.theme?.logoUrl ?? brand.logoUrl;
  await policyFor({ hasCaptcha: false, logoUrl, framedBy: portalOrigins })(c, done);
});
