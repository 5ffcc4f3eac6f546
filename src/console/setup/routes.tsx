/**
 * `/setup`: the connection and the domains of a tenant, for whoever has opened a setup link. They are the pages of the
 * console, within what the link is for.
 */
import { type Context, Hono } from "hono";
import { notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { SETUP_PATH } from "../../base/paths";
import { setupLinks } from "../../sign-on/setup-links/api";
import { connectionPages } from "../connections/routes";
import { directoryPages } from "../directories/routes";
import { domainPages } from "../domains/routes";
import { setupPages } from "../frame/portal-layout";
import { mountedAt } from "../http/mount";
import { ownFormOnly } from "../http/own-form";
import { errorPage, page, type Refused, redirectTo } from "../http/page";
import { noStore } from "../http/page-headers";
import { Pages } from "../http/pages";
import { guestHeaders, keepGuestSession, requireSetup } from "../http/portal";
import { EndedLink, OpenLink } from "../portal/open-page";
import { type EnteredSetupCode, EnterSetupCode, NothingHere } from "./open-page";

const OPENING = "Set up single sign-on";

const codePage = (c: Context<AppEnv>, values: EnteredSetupCode, refused?: Refused) =>
  page(c, { title: OPENING, refused }, <EnterSetupCode values={values} />);

/** Opening a link, which needs no session. One page for all that do not work: nobody learns whether there was one. */
const opening = new Pages()
  .get("/open", (c) => page(c, { title: OPENING }, <OpenLink token={c.req.query("token") ?? ""} />))
  .form("/open", setupLinks.open, {
    values: (sent) => sent.texts("token", "state", "code"),
    done: (c, opened, values) => {
      if (!opened) return page(c, { title: "This link does not work", status: 410 }, <EndedLink />);
      if ("mailedTo" in opened) return codePage(c, { ...values, state: opened.state });
      keepGuestSession(c, opened);
      return redirectTo(c, "");
    },
    again: (c, refused, values) => {
      if (values.state === "") throw refused.error;
      return codePage(c, values, refused);
    },
  }).router;

export const setupRoutes = new Hono<AppEnv>()
  .use(mountedAt(SETUP_PATH))
  .use(guestHeaders)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .route("/", opening)
  .use(requireSetup)
  .route("/connections", connectionPages)
  .route("/domains", domainPages)
  .route("/directories", directoryPages)
  .all("*", (c) => {
    const principal = c.get("principal");
    if (c.req.path !== SETUP_PATH || principal.kind !== "setup") throw notFound("Page");
    const [first] = setupPages(principal.setup.may, "");
    return first ? redirectTo(c, first.path) : page(c, { title: OPENING }, <NothingHere />);
  })
  .onError((error, c) => errorPage(c, error));
