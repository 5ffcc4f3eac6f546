/** What a tenant's backend and its people do with portal links. */
import { notFound } from "../../base/errors";
import { operation, WITH_KEYS, WITH_PORTALS } from "../../base/operation";
import { makePortalLink, portalLinksOf, revokePortalLink } from "./issue";
import { newPortalLink, newPortalToken, usedLink } from "./schemas";
import { openPortalLink } from "./session";

const WHO_READS = {
  callers: WITH_KEYS,
  permission: "webhook.read",
  limit: { rule: "portalLinks", per: "tenant" },
} as const;

export const portalLinks = {
  makeLink: operation({
    ...WHO_READS,
    schema: newPortalLink,
    verb: ({ deps, principal, input }) => makePortalLink(deps, principal, "link", input),
  }),
  makeToken: operation({
    ...WHO_READS,
    schema: newPortalToken,
    verb: ({ deps, principal, input }) => makePortalLink(deps, principal, "token", input),
  }),
  list: operation({ ...WHO_READS, verb: ({ deps, principal }) => portalLinksOf(deps, principal) }),
  revoke: operation({
    ...WHO_READS,
    verb: ({ deps, principal, param }) => revokePortalLink(deps, principal, param("id")),
  }),
  open: operation({
    callers: "anybody",
    limit: { rule: "openPortal", per: "IP address" },
    schema: usedLink,
    verb: ({ deps, input, client }) => openPortalLink(deps, input.token, client.origin),
  }),
  session: operation({
    callers: WITH_PORTALS,
    verb: async ({ principal }) => {
      if (principal.kind !== "portal") throw notFound("Portal session");
      return principal;
    },
  }),
};
