/** The session that a portal link opens, once. */
import { randomBytes, sha256Hex, toHex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { PortalPrincipal } from "../../base/schemas/principal";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { isKey } from "../api-keys/key";
import { admit } from "./authenticate";
import { findByHash, findBySession } from "./session-store";
import { openPortalLinkOf } from "./store";

/** Of a cookie: the link's id and the secret. */
const COOKIE = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/;
const SECRET_BYTES = 32;

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
  const [, id, secret] = cookie.match(COOKIE) ?? [];
  if (!id || !secret) return null;
  const hash = await sha256Hex(secret);
  const link = await lookUp(deps, "unknownPortal", { clientIp, mark: hash }, () => findBySession(deps, id, hash));
  return link && admit(link, origin);
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
  const link = isKey(token) ? await findByHash(deps, "link", await sha256Hex(token)) : null;
  if (!link || link.openedAt !== null || link.tenantId === holder.tenantId) return null;
  return { open: holder.portal.tenantName, replacedBy: link.tenantName };
}

/**
 * Uses a link. Returns the cookie of its session and when that ends (Unix ms); null when the link is unknown, was used,
 * has ended or was revoked, or when its maker may not read subscriptions any more. Throws FORBIDDEN in a suspended
 * tenant, where the link stays unused.
 */
export async function openPortalLink(
  deps: Deps,
  token: string,
  origin: RequestOrigin,
): Promise<{ cookie: string; expiresAt: number } | null> {
  const link = isKey(token) ? await findByHash(deps, "link", await sha256Hex(token)) : null;
  const principal = link && admit(link, origin);
  if (!link || !principal) return null;
  if (principal.isTenantSuspended) throw tenantSuspended();
  const secret = toHex(randomBytes(SECRET_BYTES));
  const opening = { tenantId: link.tenantId, id: link.id, actor: principal.actor };
  const isOpened = await openPortalLinkOf(deps, opening, await sha256Hex(secret), deps.now());
  return isOpened ? { cookie: `${link.id}.${secret}`, expiresAt: link.expiresAt } : null;
}
