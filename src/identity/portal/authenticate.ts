/** Authenticates portal tokens in one D1 round trip; a mistyped one costs none. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { PortalPrincipal } from "../../base/schemas/principal";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { findByKey } from "../api-keys/known-key";
import { findByHash, type LiveLink } from "./session-store";

/**
 * The principal of a token; null when it is unknown, has ended or was revoked, or when its maker may not read
 * subscriptions any more. Throws RATE_LIMITED when too many tokens that do not work come from `clientIp`.
 */
export async function authenticatePortalToken(
  deps: Deps,
  token: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<PortalPrincipal | null> {
  const link = await findByKey(deps, token, clientIp, (hash) => findByHash(deps, "token", hash));
  return link && admit(link, origin);
}

/** The principal of a link that has not ended; null when its maker may not read subscriptions any more. */
export function admit(link: LiveLink, origin: RequestOrigin): PortalPrincipal | null {
  const { id, permissions, tenantName, expiresAt, theme, returnUrl } = link;
  if (!permissions.has("webhook.read")) return null;
  return {
    kind: "portal",
    userId: "",
    ...standingOf(link),
    permissions,
    portal: { tenantName, expiresAt, theme, returnUrl },
    actor: { kind: "portal", id, name: null, sessionId: null, ...origin },
  };
}
