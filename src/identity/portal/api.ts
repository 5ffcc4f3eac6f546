/** `/portal-links`, `/portal-tokens` and `/portal-session`. */

import * as z from "zod";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation, WITH_KEYS, WITH_PORTALS } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { makePortalLink, portalLinksOf, revokePortalLink } from "./issue";
import {
  listedPortalLink,
  madePortalLink,
  madePortalToken,
  newPortalLink,
  newPortalToken,
  portalSession,
  usedLink,
} from "./schemas";
import { openPortalLink } from "./session";
import { portalUrl } from "./url";
import { listedView, madeView } from "./view";

const WHO_READS = {
  callers: WITH_KEYS,
  permission: "webhook.read",
  limit: { rule: "portalLinks", per: "tenant" },
} as const;

export const portalLinks = {
  makeLink: endpoint({
    id: "createPortalLink",
    summary: "Makes a link with which your customer opens the portal of this tenant, once.",
    description:
      "The portal has those of the permissions that you still have yourself at each request. It ends when the " +
      "key or the membership ends that made it.",
    ...WHO_READS,
    schema: newPortalLink,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(madePortalLink), id: "/data/id" } }),
    verb: ({ deps, principal, input }) => makePortalLink(deps, principal, "link", input),
    answer: (c, { row, secret }) => {
      const { kind: _, ...view } = listedView(row);
      return c.json({ data: { ...view, url: portalUrl(c.get("deps").config, c.req.url, secret) } }, 201);
    },
  }),
  makeToken: endpoint({
    id: "createPortalToken",
    summary: "Makes a token with which your own pages call this API for your customer.",
    description:
      "A bearer token that reaches `/webhooks`, `/stats`, `/portal-session` and reading `/events`, and nothing else.",
    ...WHO_READS,
    schema: newPortalToken,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(madePortalToken), id: "/data/id" } }),
    verb: ({ deps, principal, input }) => makePortalLink(deps, principal, "token", input),
    answer: (c, { row, secret }) => c.json({ data: { ...madeView(row), token: secret } }, 201),
  }),
  list: endpoint({
    id: "listPortalLinks",
    summary: "The portal links and tokens that have not ended, newest first.",
    description: "Owners, admins and platform keys see all of the tenant; others see those that they have made.",
    ...WHO_READS,
    answers: () => ({ 200: dataOf(z.array(listedPortalLink)) }),
    verb: ({ deps, principal }) => portalLinksOf(deps, principal),
    answer: (c, links) => c.json({ data: links.map(listedView) }),
  }),
  revoke: endpoint({
    id: "revokePortalLink",
    summary: "Ends a portal link or token at once, and the session that it has opened.",
    ...WHO_READS,
    verb: ({ deps, principal, param }) => revokePortalLink(deps, principal, param("id")),
    answer: saying("Portal link revoked."),
  }),
  open: operation({
    callers: "anybody",
    limit: { rule: "openPortal", per: "IP address" },
    schema: usedLink,
    verb: ({ deps, input, client }) => openPortalLink(deps, input.token, client.origin),
  }),
  session: endpoint({
    id: "getPortalSession",
    summary: "The tenant and the permissions of a portal token.",
    description: "404 for other credentials.",
    inConfinedSession: "open",
    callers: WITH_PORTALS,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(portalSession) }),
    verb: async ({ principal }) => {
      if (principal.kind !== "portal") throw notFound("Portal session");
      return principal;
    },
    answer: (c, { tenantId: id, tenantExternalId: externalId, permissions, portal }) => {
      const { tenantName: name, expiresAt, theme } = portal;
      const tenant = { id, name, ...(externalId === null ? {} : { externalId }) };
      const data = { tenant, permissions: [...permissions], expiresAt: iso(expiresAt), ...(theme ? { theme } : {}) };
      return c.json({ data });
    },
  }),
};

export const portalLinkRoutes = routes({
  "POST /": portalLinks.makeLink,
  "GET /": portalLinks.list,
  "DELETE /:id": portalLinks.revoke,
});

export const portalTokenRoutes = routes({
  "POST /": portalLinks.makeToken,
});

export const portalSessionRoutes = routes({
  "GET /": portalLinks.session,
});
