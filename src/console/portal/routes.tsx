/**
 * `/portal`: the subscriptions and events of a tenant, for whoever has opened a portal link. They are the pages of the
 * console, within the permissions of the link.
 */
import { Hono } from "hono";
import { notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { PORTAL_PATH } from "../../base/paths";
import { portalLinks } from "../../identity/portal/operations";
import { deliveryPages } from "../delivery-pages/routes";
import { answerBelow, asOutside, type Below } from "../http/below";
import { ownFormOnly } from "../http/own-form";
import { errorPage, page } from "../http/page";
import { noStore } from "../http/page-headers";
import { Pages } from "../http/pages";
import { keepPortalSession, portalHeaders, portalOf, requirePortal } from "../http/portal";
import { EndedLink, OpenLink } from "./open-page";
import { rewordedPage } from "./wording";

const pages = new Hono<Below>()
  .basePath(PORTAL_PATH)
  .use(asOutside)
  .route("/", deliveryPages)
  .notFound(() => {
    throw notFound("Page");
  })
  .onError((error) => {
    throw error;
  });

/** Opening a link, which needs no session. One page for all that do not work: nobody learns whether there was one. */
const opening = new Pages()
  .get("/open", (c) => page(c, { title: "Open" }, <OpenLink token={c.req.query("token") ?? ""} />))
  .form("/open", portalLinks.open, {
    values: (sent) => sent.texts("token"),
    done: (c, opened) => {
      if (!opened) return page(c, { title: "This link does not work", status: 410 }, <EndedLink />);
      keepPortalSession(c, opened);
      return c.redirect(`${PORTAL_PATH}/webhooks`, 303);
    },
  }).router;

export const portalRoutes = new Hono<AppEnv>()
  .use(portalHeaders)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .route("/", opening)
  .use(requirePortal)
  .all(
    "/*",
    answerBelow(PORTAL_PATH, pages, (html, c) => rewordedPage(html, portalOf(c)?.theme?.wording ?? "webhooks")),
  )
  .onError((error, c) => errorPage(c, error));
