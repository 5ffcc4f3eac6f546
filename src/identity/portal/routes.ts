/** `/portal-links`, `/portal-tokens` and `/portal-session`. */
import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { portalLinks } from "./operations";
import { listedPortalLink, madePortalLink, madePortalToken, portalSession } from "./schemas";
import { portalUrl } from "./url";
import { listedView, madeView } from "./view";

export const portalLinkRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute(
      "createPortalLink",
      "Makes a link with which your customer opens the portal of this tenant, once.",
      () => ({
        201: { body: dataOf(madePortalLink), id: "/data/id" },
        errors: ["CONFLICT"],
        description:
          "The portal has those of the permissions that you still have yourself at each request. It ends when the " +
          "key or the membership ends that made it.",
      }),
    ),
    ...serve(portalLinks.makeLink, (c, { row, secret }) => {
      const { kind: _, ...view } = listedView(row);
      return c.json({ data: { ...view, url: portalUrl(c.get("deps").config, c.req.url, secret) } }, 201);
    }),
  )
  .get(
    "/",
    describeRoute("listPortalLinks", "The portal links and tokens that have not ended, newest first.", () => ({
      200: dataOf(z.array(listedPortalLink)),
      description: "Owners, admins and platform keys see all of the tenant; others see those that they have made.",
    })),
    ...serve(portalLinks.list, (c, links) => c.json({ data: links.map(listedView) })),
  )
  .delete(
    "/:id",
    describeRoute("revokePortalLink", "Ends a portal link or token at once, and the session that it has opened."),
    ...serve(portalLinks.revoke, saying("Portal link revoked.")),
  );

export const portalTokenRoutes = new Hono<AppEnv>().post(
  "/",
  describeRoute(
    "createPortalToken",
    "Makes a token with which your own pages call this API for your customer.",
    () => ({
      201: { body: dataOf(madePortalToken), id: "/data/id" },
      errors: ["CONFLICT"],
      description:
        "A bearer token that reaches `/webhooks`, `/stats`, `/portal-session` and reading `/events`, and nothing else.",
    }),
  ),
  ...serve(portalLinks.makeToken, (c, { row, secret }) => c.json({ data: { ...madeView(row), token: secret } }, 201)),
);

export const portalSessionRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("getPortalSession", "The tenant and the permissions of a portal token.", () => ({
    200: dataOf(portalSession),
    errors: ["NOT_FOUND"],
    description: "404 for other credentials.",
  })),
  ...serve(portalLinks.session, (c, { tenantId: id, tenantExternalId: externalId, permissions, portal }) => {
    const { tenantName: name, expiresAt, theme } = portal;
    const tenant = { id, name, ...(externalId === null ? {} : { externalId }) };
    const data = { tenant, permissions: [...permissions], expiresAt: iso(expiresAt), ...(theme ? { theme } : {}) };
    return c.json({ data });
  }),
);
