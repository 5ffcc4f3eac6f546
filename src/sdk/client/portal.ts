/** What a tenant shows its own customers. */
import type { Call } from "./call";
import type { PortalLinkMethods, PortalTokenMethods } from "./generated-methods";
import { portalLinkMethods, portalTokenMethods } from "./generated-requests";

/** `client.portal`, by noun. */
export interface Portal {
  links: PortalLinkMethods;
  tokens: PortalTokenMethods;
}

export const portalOf = (call: Call): Portal => ({ links: portalLinkMethods(call), tokens: portalTokenMethods(call) });
