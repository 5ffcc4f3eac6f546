/**
 * `/portal`: the subscriptions and events of a tenant, for whoever has opened a portal link. They are the pages of the
 * console, within the permissions of the link.
 */
import { Hono } from "hono";
import { notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { PORTAL_PATH } from "../../base/paths";
import { portalLinks } from "../../identity/portal/api";
import { tenantsOfReplacement } from "../../identity/portal/session";
import { Say } from "../components/mount";
import { deliveryPages } from "../delivery-pages/routes";
import { mountedAt } from "../http/mount";
import { ownFormOnly } from "../http/own-form";
import { errorPage, page, redirectTo } from "../http/page";
import { noStore } from "../http/page-headers";
import { Pages } from "../http/pages";
import { guestHeaders, keepGuestSession, portalHolder, requirePortal } from "../http/portal";
import { portalTypePages } from "./event-types";
import { EndedLink, OpenLink, ReplacePortal } from "./open-page";

/** Opening a link, which needs no session. One page for all that do not work: nobody learns whether there was one. */
const opening = new Pages()
  .get("/open", async (c) => {
    const token = c.req.query("token") ?? "";
    const holder = await portalHolder(c);
    const tenants = holder && (await tenantsOfReplacement(c.get("deps"), token, holder));
    return page(
      c,
      { title: <Say of="portal.open" /> },
      tenants ? <ReplacePortal {...{ token, ...tenants }} /> : <OpenLink token={token} />,
    );
  })
  .form("/open", portalLinks.open, {
    values: (sent) => sent.texts("token"),
    done: (c, opened) => {
      if (!opened) return page(c, { title: <Say of="portal.ended" />, status: 410 }, <EndedLink />);
      keepGuestSession(c, opened);
      return redirectTo(c, "/webhooks");
    },
  }).router;

export const portalRoutes = new Hono<AppEnv>()
  .use(mountedAt(PORTAL_PATH))
  .use(guestHeaders)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .route("/", opening)
  .use(requirePortal)
  .route("/", deliveryPages)
  .route("/", portalTypePages)
  .all("*", () => {
    throw notFound("Page");
  })
  .onError((error, c) => errorPage(c, error));
