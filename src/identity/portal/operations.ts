/** What a tenant's backend and its people do with portal links. */
import { operation } from "../../platform/operation";
import { makePortalLink, portalLinksOf, revokePortalLink } from "./issue";
import { newPortalLink, newPortalToken } from "./schemas";

const WHO_READS = { permission: "webhook.read", limit: { rule: "portalLinks", per: "tenant" } } as const;

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
};
