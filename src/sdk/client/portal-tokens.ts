/** `/portal-tokens` and `/portal-session`: tokens for pages of your own, and what they reach. */
import type { Call, CallOptions } from "./call";
import type { MadePortalToken, NewPortalToken, PortalSession } from "./generated";

/**
 * `client.portal.tokens`. Your backend makes a token; a client whose `apiKey` it is reaches webhooks, events and
 * statistics.
 *
 * @example
 * const postern = createClient({ baseUrl, apiKey: token });
 * const { permissions } = await postern.portal.tokens.session();
 */
export interface PortalTokenMethods {
  /**
   * Makes a token and returns it with its secret. `client.portal.links` lists and revokes it. Throws VALIDATION_FAILED,
   * FORBIDDEN for a permission that the caller does not have, and CONFLICT when there are too many.
   */
  create(body: NewPortalToken, options?: CallOptions): Promise<MadePortalToken>;
  /** Returns the tenant and the permissions of the client's own token. Throws NOT_FOUND for other credentials. */
  session(options?: CallOptions): Promise<PortalSession>;
}

export const portalTokenMethods = (call: Call): PortalTokenMethods => ({
  create: (body, options) => call.data("POST /portal-tokens", { ...options, body }),
  session: (options) => call.data("GET /portal-session", options),
});
