/** `/portal-links`: links with which customers open the portal, and what has been made and has not ended. */
import type { Call, CallOptions } from "./call";
import type { MadePortalLink, NewPortalLink, PortalLink } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.portal.links`, for your backend: with a platform key in a tenant, with an API key, or for signed-in users.
 *
 * @example
 * const { url } = await postern.inTenant("ext:customer-42").portal.links.create({ permissions: ["webhook.read"] });
 */
export interface PortalLinkMethods {
  /**
   * Makes a link that opens the portal once, and returns it with its URL. Throws VALIDATION_FAILED, FORBIDDEN for a
   * permission that the caller does not have, and CONFLICT when there are too many.
   */
  create(body: NewPortalLink, options?: CallOptions): Promise<MadePortalLink>;
  /** Returns the links and tokens that have not ended, newest first. Throws UNAUTHENTICATED. */
  list(options?: CallOptions): Listed<PortalLink>;
  /** Ends a link or a token at once. Returns the service's confirmation. Throws NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

export const portalLinkMethods = (call: Call): PortalLinkMethods => ({
  create: (body, options) => call.data("POST /portal-links", { ...options, body }),
  list: (options) => listed(call.data("GET /portal-links", options)),
  revoke: (id, options) => call.message(`DELETE /portal-links/${segment(id)}`, options),
});
