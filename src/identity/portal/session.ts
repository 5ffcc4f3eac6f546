/** The session that a portal link opens, once. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { PortalPrincipal } from "../../base/schemas/principal";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { admit } from "./authenticate";
import { linkOfCookie, linkOfToken, type OpenedLink, openOnce } from "./opening";
import { liveLink } from "./session-store";

/**
 * The principal of a portal's cookie; null when it is unknown, when the link has ended or was revoked, or when its
 * maker may not read subscriptions any more. Throws RATE_LIMITED when too many unknown cookies come from `clientIp`.
 */
export async function authenticatePortalSession(
  deps: Deps,
  cookie: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<PortalPrincipal | null> {
  const link = await linkOfCookie(deps, "link", cookie, clientIp);
  return link && admit(liveLink(deps, link), origin);
}

/**
 * The names of the tenants of an open portal and of a link that would replace it; null when the link does not work, or
 * when it is of the same tenant. Somebody may have planted the link.
 */
export async function tenantsOfReplacement(
  deps: Deps,
  token: string,
  holder: PortalPrincipal,
): Promise<{ open: string; replacedBy: string } | null> {
  const link = await linkOfToken(deps, "link", token);
  if (!link || link.openedAt !== null || link.tenantId === holder.tenantId) return null;
  return { open: holder.portal.tenantName, replacedBy: link.tenantName };
}

/**
 * Uses a link. Returns the cookie of its session and when that ends (Unix ms); null when the link is unknown, was used,
 * has ended or was revoked, or when its maker may not read subscriptions any more. Throws FORBIDDEN in a suspended
 * tenant, where the link stays unused.
 */
export async function openPortalLink(deps: Deps, token: string, origin: RequestOrigin): Promise<OpenedLink | null> {
  const link = await linkOfToken(deps, "link", token);
  const principal = link && admit(liveLink(deps, link), origin);
  if (!link || !principal) return null;
  if (principal.isTenantSuspended) throw tenantSuspended();
  return openOnce(deps, "link", link, principal.actor);
}
